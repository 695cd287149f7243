{{ agreement(ref('int_rating_pair')) }}
