"""How far from the bound are policies on small and on large graphs, when durations differ from the estimates?"""

import heddle
from heddle import figures

runs = heddle.sweep("cholesky:tiles={n}", n=range(4, 17, 4), platform=["mirage", "sirocco"],
                    policies=["heft", "dmdas", "eager"], seeds=range(5), noise="lognormal:0.2")
frame = runs.to_pandas()
print(frame.groupby(["platform", "policy", "n"])["ratio"].mean().unstack())

figures.save(runs.lines("n"), "sweep.svg")
figures.save(runs.profile(), "profile.svg")
