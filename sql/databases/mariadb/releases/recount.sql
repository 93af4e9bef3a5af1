-- Count a script's release again before it goes out: where it is not what it should be, there is nothing left to
-- publish, even for a client that goes on after an error: the release goes by its name in a script.
--
-- violated  #otherwise of all rows, and one condition per privacy model: a class violates it
-- classes   #classes
begin not atomic
    if (
        select
            {violated}
        from {classes}
    ) then
        drop temporary table starcloak_release;
        signal sqlstate '45000'
            set message_text = 'not the source that this script was made for: nothing is released; compile it again';
    end if;
    insert into starcloak_recounted values (true);
end

-- section: recounted
-- Where each recount of a script leaves a row when it has been made.
create temporary table starcloak_recounted (
    holds boolean not null
)
