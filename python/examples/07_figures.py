"""The figures of a paper: ratios, performance profile and idle time, side by side on a page's width."""

import heddle
from heddle import figures

instances = [heddle.generate(f"{kind}:tiles=8", platform="kumar-2017:cpu=20,gpu=4") for kind in ("cholesky", "lu", "qr")]
found = heddle.compare(instances, ["heteroprio-dep:order=best", "heft", "dmdas"], noise="uniform:0.1", runs=10)

left, middle, right = figures.row(3)
found.ratios(left)
found.profile(middle, most=1.5)
found.idle(right)
figures.save(left, "paper.pdf")
print(found.to_pandas().groupby(["instance", "policy"])["ratio"].mean().unstack())
