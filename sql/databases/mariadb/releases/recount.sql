-- Count a script's release again before publication. If it fails, the release under its name in the script is dropped,
-- so that nothing is left to publish, even for a client that goes on after an error.
--
-- violated  #otherwise of all rows, #changed, and one condition per privacy model for a violating class
-- classes   #classes
begin not atomic
    if (
        select
            {violated}
        from {classes}
    ) then
        drop temporary table starcloak_release;
        signal sqlstate '45000'
            set message_text = 'not the source that this script was made for: its rows have changed; nothing is '
            'released; compile it again';
    end if;
    insert into starcloak_recounted values (true);
end

-- section: recounted
-- The table in which each finished recount of a script leaves a row.
create temporary table starcloak_recounted (
    holds boolean not null
)
