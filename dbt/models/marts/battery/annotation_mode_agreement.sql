with agreement as (
    {{ agreement(ref('int_annotation_mode_pair')) | indent(4) }}
),

final as (
    select
        rater_a as rater,
        capability,
        spearman_rho,
        weighted_kappa,
        mean_absolute_error,
        within_one_share,
        n_items
    from agreement
)

select * from final
