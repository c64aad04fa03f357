/** So many UTF-16 units of a text weigh as much as a value. */
const UNITS = 8;

/** Parts that weigh no more are not told apart: there may be a million of them. */
const SMALL = 8;

const weightOfText = (text: string): number => 1 + Math.floor(text.length / UNITS);

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** What a look at a JSON value costs: the values, names and text in it. */
export class Weights {
  readonly total: number;
  // Few schemas ask for the weight of a part, so it is found only when one does.
  private parts: Map<object, number> | null = null;

  constructor(private readonly root: unknown) {
    this.total = isContainer(root) ? weigh(root, null) : weightOfScalar(root);
  }

  of(value: unknown): number {
    if (!isContainer(value)) return weightOfScalar(value);
    if (this.parts === null) {
      this.parts = new Map();
      if (isContainer(this.root)) weigh(this.root, this.parts);
    }
    return this.parts.get(value) ?? SMALL;
  }
}

const weightOfScalar = (value: unknown): number => (typeof value === 'string' ? weightOfText(value) : 1);

/**
 * From the outside inwards, and then back: what is inside stands behind what it is in. No call for each level.
 *
 * @param parts takes the weight of each container that is not small
 */
function weigh(root: object, parts: Map<object, number> | null): number {
  const containers = [root];
  const outer = [0];
  const weights = [1];
  for (let at = 0; at < containers.length; at++) {
    const container = containers[at] ?? root;
    let weight = 1;
    if (!Array.isArray(container)) for (const name of Object.keys(container)) weight += weightOfText(name);
    for (const value of (Array.isArray(container) ? container : Object.values(container)) as readonly unknown[]) {
      if (isContainer(value)) {
        containers.push(value);
        outer.push(at);
      } else {
        weight += weightOfScalar(value);
      }
    }
    weights[at] = weight;
  }
  for (let at = containers.length - 1; at > 0; at--) {
    const within = outer[at] ?? 0;
    weights[within] = (weights[within] ?? 0) + (weights[at] ?? 0);
  }
  containers.forEach((container, at) => {
    const weight = weights[at] ?? 1;
    if (weight > SMALL) parts?.set(container, weight);
  });
  return weights[0] ?? 1;
}
