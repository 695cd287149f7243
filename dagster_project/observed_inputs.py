"""The inputs as Dagster's observable assets: a look gives each its data version, so that the UI shows which changed.

Belongs here: one step over all inputs. Does not belong here: which inputs there are and their hashes
(assets/sources/inputs.py).
"""

import warnings
from collections.abc import Iterator

import dagster as dg

from assets.settings import Settings
from assets.sources.inputs import INPUTS, FileHashes, input_files, version_of
from assets.step import faults_as_failure

MOST_FILES = 50


def build_observed_inputs() -> dg.AssetsDefinition:
    """The assets `file/<input>`."""
    specs = [
        dg.AssetSpec(["file", one.name], description=one.description, group_name=one.group, kinds={"file"})
        for one in INPUTS
    ]
    with warnings.catch_warnings():
        # the decorator is in beta
        warnings.simplefilter("ignore", dg.BetaWarning)
        return dg.multi_observable_source_asset(name="inputs", specs=specs, can_subset=True)(_observe)


def _observe(
    context: dg.AssetExecutionContext, settings: dg.ResourceParam[Settings]
) -> Iterator[dg.ObserveResult]:
    """Files of each input by the hashes that a refresh compares: unchanged ones are not read again."""
    hashes = FileHashes(settings.home)
    for one in INPUTS:
        key = dg.AssetKey(["file", one.name])
        if key not in context.selected_asset_keys:
            continue
        with faults_as_failure():
            files = input_files(one, settings, hashes.of)
        listed = {file: sha256[:12] for file, sha256 in sorted(files.items())[:MOST_FILES]}
        yield dg.ObserveResult(
            asset_key=key,
            metadata={"n_files": len(files), "files": dg.MetadataValue.json(listed)},
            data_version=dg.DataVersion(version_of(files)),
        )
