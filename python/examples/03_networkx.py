"""Takes a graph from networkx, with durations from an array, and finds its best schedule with a proof."""

import networkx
import numpy

import heddle

nodes = 14
tree = networkx.balanced_tree(2, 3, create_using=networkx.DiGraph).reverse()
tree.remove_node(nodes)
random = numpy.random.default_rng(7)
cpu = random.uniform(1, 10, nodes)
durations = numpy.column_stack([cpu, cpu / random.uniform(0.5, 8, nodes)])

instance = heddle.Graph.from_networkx(tree, "tree").on(heddle.Platform(cpu=2, gpu=1), durations)
print(heddle.compare(instance, ["heft", "heteroprio-dep:order=best", "eager"]))
print(heddle.search(instance, prove=True))
