"""What a refresh fits again: exactly what changed, with the result of fitting everything afresh."""

import json
import shutil
from dataclasses import replace

import dagster as dg
import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy.special import expit

from assets.capability import assets as slice_assets
from assets.capability.fit import fit_store, stale_fits
from assets.capability.fit.layout import item_logit, pool_counts
from assets.parts import DamagedFileError
from assets.settings import Settings
from tests.support.steps import MemoryWarehouse

RNG = np.random.default_rng(7)
# the last item is answered by `c` alone
DEMAND = RNG.choice([0.0, 1.0, 2.0, 3.0, 4.0], size=(121, 2), p=[0.2, 0.2, 0.2, 0.2, 0.2])
DEMAND[-1] = [1.25, 3.75]
ABILITY = {"a": [3.5, 2.0], "b": [2.5, 4.0], "c": [6.5, 7.0], "new name": [3.5, 2.0]}


def responses(*systems, demand=DEMAND, change=None):
    rows = [(name, i) for name in systems for i in range(121 if name == "c" else 120)]
    score = []
    for name, i in rows:
        uniform = np.random.default_rng([*map(ord, name), i]).random()
        passed = float(uniform < expit(item_logit(np.array(ABILITY[name]), -0.5, DEMAND[i : i + 1])[0]))
        score.append(1 - passed if change == (name, i) else passed)
    names, items = [name for name, _ in rows], [i for _, i in rows]
    return pool_counts(names, demand[items], score, np.ones(len(rows)), ("EM", "L"))


def run(home, pooled, **settings):
    """(systems fitted, what became of the joint draws, posterior) of one refresh."""
    chosen = Settings(home=home, draws=500, **settings)
    fitted = stale_fits.fit_stale_systems(pooled, pooled.systems, chosen, lambda _: None)
    drawn = stale_fits.draw_jointly(pooled, chosen, lambda _: None)["draws"]
    return fitted, drawn, fit_store.read_posterior(home / fit_store.DRAWS)


def files(home):
    return {path.name: path.read_bytes() for path in (home / fit_store.SYSTEMS).glob("*.parquet")}


@pytest.fixture(scope="module")
def two_fitted(tmp_path_factory):
    home = tmp_path_factory.mktemp("two")
    fitted, drawn, _ = run(home, responses("a", "b"))
    assert (fitted, drawn) == (["a", "b"], "made")
    return home


@pytest.fixture
def home(tmp_path, two_fitted):
    """A copy of a home with two systems fitted."""
    shutil.copytree(two_fitted, tmp_path / "home")
    return tmp_path / "home"


def test_one_more_system_costs_one_fit_and_gives_what_fitting_all_afresh_gives(home, tmp_path_factory):
    before, two = files(home), fit_store.read_posterior(home / fit_store.DRAWS)
    fitted, drawn, three = run(home, responses("a", "b", "c"))
    assert (fitted, drawn) == (["c"], "made")
    assert before.items() <= files(home).items()
    afresh = tmp_path_factory.mktemp("afresh")
    assert run(afresh, responses("a", "b", "c"))[0] == ["a", "b", "c"]
    assert files(afresh) == files(home)
    assert (afresh / fit_store.DRAWS).read_bytes() == (home / fit_store.DRAWS).read_bytes()
    # with other random numbers: within Monte-Carlo error of 2,000 draws a side
    other = run(tmp_path_factory.mktemp("other"), responses("a", "b", "c"), seed=2)[2]
    sd = three.capability.std((0, 1))
    assert (np.abs(other.capability.mean((0, 1)) - three.capability.mean((0, 1))) / sd).max() < 0.13
    np.testing.assert_allclose(other.capability.std((0, 1)) / sd, 1, atol=0.1)
    # and it was not a matter of leaving the others as they were: what c says of the intercept moves them
    moved = np.abs(three.capability.mean((0, 1))[:2] - two.capability.mean((0, 1))) / sd[:2]
    assert moved.max() > 0.3


def test_the_same_input_makes_nothing_again(home):
    drawn = (home / fit_store.DRAWS).stat().st_mtime_ns
    assert run(home, responses("b", "a"))[:2] == ([], "unchanged")
    assert (home / fit_store.DRAWS).stat().st_mtime_ns == drawn


def test_a_system_that_left_is_out_of_the_joint_draws_and_nobody_is_fitted(home, tmp_path_factory):
    run(home, responses("a", "b", "c"))
    fitted, drawn, posterior = run(home, responses("a", "b"))
    assert (fitted, drawn) == ([], "made")
    assert posterior.systems == ("a", "b")
    assert fit_store.remove_systems(home, ("a", "b")) == [fit_store.system_path(home, "c").stem]
    assert set(files(home)) == {fit_store.system_path(home, name).name for name in ("a", "b")}


def test_a_system_under_another_name_is_fitted_under_it_alone(home):
    fitted, drawn, posterior = run(home, responses("b", "new name"))
    assert (fitted, drawn) == (["new name"], "made")
    assert posterior.systems == ("b", "new name")


def test_a_rating_of_an_item_that_one_system_answered_makes_that_system_stale(home):
    run(home, responses("a", "b", "c"))
    rerated = DEMAND.copy()
    rerated[-1] = [2.25, 3.75]
    assert run(home, responses("a", "b", "c", demand=rerated))[:2] == (["c"], "made")


def test_a_rating_of_an_item_that_all_answered_makes_all_stale(home):
    rerated = DEMAND.copy()
    rerated[0] = [4.75, 4.75]
    assert run(home, responses("a", "b", demand=rerated))[:2] == (["a", "b"], "made")


def test_a_changed_answer_makes_its_system_stale(home):
    assert run(home, responses("a", "b", change=("b", 3)))[:2] == (["b"], "made")


@pytest.mark.parametrize(
    "setting",
    [
        {"capability_prior_sd": 0.9},
        {"capability_prior_mean": 2.5},
        {"intercept_prior_sd": 4.0},
        {"temperature": 0.5},
        {"slope": 1.2},
        {"seed": 5},
    ],
    ids=lambda setting: next(iter(setting)),
)
def test_a_changed_setting_of_the_fit_makes_all_stale(home, setting):
    assert run(home, responses("a", "b"), **setting)[:2] == (["a", "b"], "made")


@pytest.mark.parametrize(
    ("setting", "drawn"),
    [
        ({"tune": 400}, "unchanged"),
        ({"target_accept": 0.8}, "unchanged"),
        ({"max_rhat": 1.02}, "unchanged"),
        # these decide the joint draws: their number, and which fits are made again around the intercept
        ({"chains": 3}, "made"),
        ({"max_khat": 0.65}, "made"),
        ({"min_ess": 350}, "made"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_setting_that_changes_no_byte_of_a_fit_makes_no_fit_stale(home, tmp_path, setting, drawn):
    before = files(home)
    assert run(home, responses("a", "b"), **setting)[:2] == ([], drawn)
    assert files(home) == before
    afresh = tmp_path / "afresh"
    run(afresh, responses("a", "b"), **setting)
    assert files(afresh) == before
    assert (afresh / fit_store.DRAWS).read_bytes() == (home / fit_store.DRAWS).read_bytes()


def test_options_of_nuts_and_when_to_fall_back_decide_a_fit_that_fell_back(tmp_path):
    def fitted(**settings):
        return run(tmp_path, responses("a"), tune=100, max_rhat=2.0, **settings)[:2]

    def engine():
        return fit_store.read_system(fit_store.system_path(tmp_path, "a"), "a", ("EM", "L"))[0].engine

    assert fitted() == (["a"], "made")
    assert engine() == "factorised"
    # no Pareto k is as small as that
    assert fitted(max_khat=-10.0)[0] == ["a"]
    assert engine() == "nuts"
    assert fitted(max_khat=-10.0)[0] == []
    assert fitted(max_khat=-10.0, target_accept=0.8) == (["a"], "made")
    assert fitted(max_khat=-10.0, target_accept=0.8)[0] == []
    assert fitted() == (["a"], "made")
    assert engine() == "factorised"


def test_a_setting_of_another_slice_makes_nothing_stale(home):
    assert run(home, responses("a", "b"), cluster_cut=0.4, min_kappa=0.2)[:2] == ([], "unchanged")


def test_a_broken_or_missing_file_is_made_again_with_the_same_bytes(home):
    before, path = files(home), fit_store.system_path(home, "b")
    path.write_bytes(path.read_bytes()[:-100])
    assert run(home, responses("a", "b"))[:2] == (["b"], "unchanged")
    path.unlink()
    assert run(home, responses("a", "b"))[:2] == (["b"], "unchanged")
    assert files(home) == before


@pytest.mark.parametrize("name", ["fit of b", "joint draws"])
def test_flipped_bytes_anywhere_are_told_and_made_again(home, name, caplog):
    path = fit_store.system_path(home, "b") if name == "fit of b" else home / fit_store.DRAWS
    whole = path.read_bytes()
    note = pq.read_schema(path).metadata[b"suitability"]
    fingerprint = json.loads(note)["fingerprint"]
    for place in range(0, len(whole), len(whole) // 40):
        flipped = bytearray(whole)
        flipped[place] ^= 0x5A
        path.write_bytes(flipped)
        if fit_store.is_current(path, fingerprint):  # a byte that nothing reads
            table = pq.read_table(path)
            path.write_bytes(whole)
            assert table.equals(pq.read_table(path))
    flipped = bytearray(whole)
    flipped[len(whole) // 2 : len(whole) // 2 + 64] = b"\x5a" * 64
    path.write_bytes(flipped)
    caplog.clear()
    made = (["b"], "unchanged") if name == "fit of b" else ([], "made")
    assert run(home, responses("a", "b"))[:2] == made
    assert f"{path} is damaged" in caplog.text
    assert path.read_bytes() == whole


def test_a_stored_fit_of_what_is_no_number_is_made_again(home, caplog):
    path = fit_store.system_path(home, "b")
    whole = path.read_bytes()
    own, fingerprint = fit_store.read_system(path, "b", ("EM", "L"))
    own.ease[0, 1] = np.nan
    fit_store.write_system(path, own, ("EM", "L"), fingerprint)
    with pytest.raises(DamagedFileError, match="ease_L is not finite"):
        fit_store.read_system(path, "b", ("EM", "L"))
    assert run(home, responses("a", "b"))[:2] == (["b"], "unchanged")
    assert "ease_L is not finite" in caplog.text
    assert path.read_bytes() == whole


def test_joint_draws_from_fits_that_are_missing_or_of_other_inputs_are_refused(home):
    settings, log = Settings(home=home, draws=500), lambda _: None
    with pytest.raises(FileNotFoundError, match="partition 'c' of estimate/system_posterior"):
        stale_fits.draw_jointly(responses("a", "b", "c"), settings, log)
    with pytest.raises(ValueError, match="the fit of 'b' came from other inputs"):
        stale_fits.draw_jointly(responses("a", "b", change=("b", 3)), settings, log)


def test_what_a_fit_file_holds_survives_it(home):
    own = fit_store.read_system(fit_store.system_path(home, "a"), "a", ("EM", "L"))[0]
    nuts = replace(own, engine="nuts", khat=None, rhat=1.001, n_divergent=0, efficiency=0.5, ebfmi=0.8)
    for number, found in enumerate((own, nuts)):
        path = home / f"{number}.parquet"
        fit_store.write_system(path, found, ("EM", "L"), "f")
        again, fingerprint = fit_store.read_system(path, "a", ("EM", "L"))
        assert fingerprint == "f"
        np.testing.assert_array_equal(again.ease, found.ease)
        np.testing.assert_array_equal(again.weight, found.weight)
        bare = np.empty(0)
        assert vars(replace(again, ease=bare, weight=bare)) == vars(replace(found, ease=bare, weight=bare))


def test_any_name_makes_a_file_of_its_own(tmp_path):
    names = ["a/b", "a:b", "a b", "..", "A", "a", "é" * 300, "é" * 301]
    paths = [fit_store.system_path(tmp_path, name) for name in names]
    assert len({str(path).lower() for path in paths}) == len(names)
    assert {path.parent for path in paths} == {tmp_path / fit_store.SYSTEMS}
    assert max(len(path.name) for path in paths) < 255


# --- partitions --------------------------------------------------------------------------------------------------


def materialise(home, instance, pooled, partition=None, **settings):
    fit_store.write_responses(home / fit_store.INPUT, pooled)
    result = dg.materialize(
        [slice_assets.system_posterior],
        resources={"warehouse": MemoryWarehouse(), "settings": Settings(home=home, draws=500, **settings)},
        instance=instance,
        partition_key=partition,
    )
    event = result.asset_materializations_for_node("estimate__system_posterior")[-1]
    return event.metadata["fitted"].value


def test_partitions_are_the_systems_of_the_input_and_a_run_of_one_fits_that_one(tmp_path):
    with dg.DagsterInstance.ephemeral() as instance:
        key = slice_assets.system_posterior.key
        assert materialise(tmp_path, instance, responses("a", "b")) == ["a", "b"]
        assert sorted(instance.get_dynamic_partitions("ai_system")) == ["a", "b"]
        assert instance.get_materialized_partitions(key) == {"a", "b"}

        before = files(tmp_path)
        changed = {"capability_prior_sd": 0.9}
        assert materialise(tmp_path, instance, responses("a", "b"), "b", **changed) == ["b"]
        after = files(tmp_path)
        assert [name for name in before if before[name] != after[name]] == [
            fit_store.system_path(tmp_path, "b").name
        ]

        assert materialise(tmp_path, instance, responses("b", "new name")) == ["b", "new name"]
        assert sorted(instance.get_dynamic_partitions("ai_system")) == ["b", "new name"]
        assert set(files(tmp_path)) == {fit_store.system_path(tmp_path, n).name for n in ("b", "new name")}


def test_under_nuts_systems_are_not_fitted_alone(tmp_path):
    with dg.DagsterInstance.ephemeral() as instance:
        assert materialise(tmp_path, instance, responses("a", "b"), engine="nuts") == []
    assert files(tmp_path) == {}
