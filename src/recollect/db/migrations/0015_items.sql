-- Items are found by their namespace, which is the type: below one of them, in a range.

create index memory_item on memory (space_id, type collate "C") where kind = 'item';
