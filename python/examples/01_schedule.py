"""Schedules a tiled Cholesky factorization on a machine with 9 CPU cores and 3 GPUs, and draws the schedule."""

import heddle
from heddle import figures

instance = heddle.generate("cholesky:tiles=12", platform="mirage")
schedule = heddle.schedule(instance, "heteroprio-dep:order=best")
print(schedule)

attempts = schedule.to_pandas()
print(attempts[attempts["outcome"] == "completed"].groupby(["class", "type"]).size())

schedule.save("schedule.json")  # what `heddle validate` and `heddle analyze` read
schedule.save_html("schedule.html")  # the page of `heddle schedule --gantt`
figures.save(schedule.gantt(), "gantt.pdf")
