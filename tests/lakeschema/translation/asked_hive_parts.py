"""Parts of structs and collections in Hive: in windows, under FLOOR, and by their names."""

from __future__ import annotations

from typing import Final

# fmt: off
PARTS: Final = (
    "first_value(array(de, CAST(1.5 AS DECIMAL(10,5)))) OVER (order by i)", "first_value(struct(de, CAST(1.5 AS DECIMAL(10,5)))) OVER (order by i)",
    "first_value(struct(de+1)) OVER (order by i)", "first_value(struct(de+CAST(1.5 AS DECIMAL(10,5)))) OVER (order by i)",
    "first_value(map('x', de+CAST(1.5 AS DECIMAL(10,5)))) OVER (order by i)", "first_value(map('x', CAST(1.5 AS DECIMAL(10,5)))) OVER (order by i)",
    "first_value(map_values(map('x', CAST(1.5 AS DECIMAL(10,5))))) OVER (order by i)", "map_values(map('x', CAST(1.5 AS DECIMAL(10,5))))",
    "map_values(map('x', CAST(1.5 AS DECIMAL(10,5)), 'y', de))", "lead(array(i, CAST(1.5 AS DECIMAL(10,5))), 2) OVER (order by i)",
    "lead(array(i, 1.5), 2) OVER (order by i)", "lead(array(de, 1.5, 3000000000), 2) OVER (order by i)", "array(de, 1.5, 3000000000)", "array(de, 1.5)",
    "array(de, i)", "lead(array(de, i), 2) OVER (order by i)", "lead(array(coalesce(de, CAST(0 AS DECIMAL(20,5)))), 2) OVER (order by i)",
    "lead(coalesce(de, CAST(0 AS DECIMAL(20,5))), 2) OVER (order by i)", "lead(struct(coalesce(de, CAST(0 AS DECIMAL(20,5)))), 2) OVER (order by i)",
    "lead(if(s='a', de, CAST(0 AS DECIMAL(20,5))), 2) OVER (order by i)", "lead(struct(if(s='a', de, CAST(0 AS DECIMAL(20,5)))), 2) OVER (order by i)",
    "lead(struct(struct(de+CAST(1.5 AS DECIMAL(20,5)))), 2) OVER (order by i)", "lead(greatest(de, CAST(1.5 AS DECIMAL(20,5))), 2) OVER (order by i)",
    "lead(abs(de+ CAST(1.5 AS DECIMAL(20,5))), 2) OVER (order by i)", "lead(array(abs(de+ CAST(1.5 AS DECIMAL(20,5)))), 2) OVER (order by i)",
    "array_max(array(de, CAST(1.5 AS DECIMAL(20,5))))", "array_max(array(de, i))",
    "lead(array_max(array(de, CAST(1.5 AS DECIMAL(20,5))))) OVER (order by i)", "struct(de, CAST(1.5 AS DECIMAL(20,5))).col2",
    "lead(struct(de, CAST(1.5 AS DECIMAL(20,5))).col2) OVER (order by i)", "lead(array(de, CAST(1.5 AS DECIMAL(20,5)))[0]) OVER (order by i)",
    "array(de, CAST(1.5 AS DECIMAL(20,5)))[0]", "floor(array(de, CAST(1.5 AS DECIMAL(20,5)))[0])", "collect_list(array(de, CAST(1.5 AS DECIMAL(20,5))))",
    "max(array(de, CAST(1.5 AS DECIMAL(20,5))))", "collect_list(de + CAST(1.5 AS DECIMAL(20,5)))",
    "collect_list(de + CAST(1.5 AS DECIMAL(20,5))) OVER (order by i)", "max(struct(de, CAST(1.5 AS DECIMAL(20,5)))) OVER (order by i)",
    "first_value(named_struct('x', de, 'y', CAST(1.5 AS DECIMAL(20,5)))) OVER (order by i)",
    "first_value(nvl(de, CAST(1.5 AS DECIMAL(20,5)))) OVER (order by i)", "nvl(de, CAST(1.5 AS DECIMAL(20,5)))",
    "struct(de+CAST(1.5 AS DECIMAL(20,5))).col1", "struct(de+1).col1", "struct(coalesce(de, CAST(0 AS DECIMAL(20,5)))).col1",
    "struct(if(s='a', de, 3000000000)).col1", "floor(struct(de+1).col1)", "floor(array(de+1)[0])", "floor(abs(de+1))", "floor(array_max(array(de+1)))",
    "floor(array_max(array(de, CAST(1.5 AS DECIMAL(20,5)))))", "floor(de) + 1", "floor(de+1) + 1", "floor(1 + floor(de+1))", "abs(1 + floor(de+1))",
    "abs(floor(de+1))", "coalesce(floor(de+1), 1.5)", "first_value(floor(de+1)) OVER (order by i)", "first_value(floor(de+1)+1) OVER (order by i)",
    "first_value(de*CAST(1.5 AS DECIMAL(20,5))) OVER (order by i)", "de*CAST(1.5 AS DECIMAL(20,5))", "first_value(de*2) OVER (order by i)",
    "first_value(de*(i+1)) OVER (order by i)", "first_value((de+1)*2) OVER (order by i)", "(de+1)*2", "first_value((de+1)/2) OVER (order by i)",
    "first_value((de+1)%2) OVER (order by i)", "(de+1)%2", "first_value(round(de+1,1)) OVER (order by i)",
    "first_value(greatest(de+1, 5)) OVER (order by i)", "first_value(coalesce(de+1, 5)) OVER (order by i)",
    "first_value(coalesce(de+1, 5+5)) OVER (order by i)", "first_value(de+(5+5)) OVER (order by i)", "first_value(de+5Y) OVER (order by i)",
    "first_value(de+(i+5)) OVER (order by i)", "first_value(if(s='a', de, 5)+1) OVER (order by i)", "first_value(if(s='a', de, i)+1) OVER (order by i)",
    "first_value(if(1=1, de, 5)+1) OVER (order by i)", "sum(de) OVER (order by i) + 1", "sum(de+1) OVER (order by i) + 1",
    "row_number() OVER (order by floor(de+1))", "first_value(CAST(de+1 AS DECIMAL(30,5))) OVER (order by i)",
    "first_value(nullif(de+1, 2)) OVER (order by i)", "first_value(sum(de+1)) OVER (order by i)", "first_value(sum(de+1)+1) OVER (order by i)",
    "first_value(de+1+0.5) OVER (order by i)", "de+1+0.5",
)
# fmt: on
