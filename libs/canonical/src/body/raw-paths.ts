/** A tree of the paths that stay raw. */
export interface RawPath {
  raw: boolean;
  readonly members: Map<string, RawPath>;
  /** What holds for each element, if the value is an array. */
  each: RawPath | undefined;
}

const newPath = (): RawPath => ({ raw: false, members: new Map(), each: undefined });

function step(path: RawPath, segment: string): RawPath {
  if (segment === '[]') return (path.each ??= newPath());
  const next = path.members.get(segment) ?? newPath();
  path.members.set(segment, next);
  return next;
}

/** From dotted paths: `error.message`; `commands.[].arguments` goes through each element of an array. */
export function rawPaths(paths: readonly string[]): RawPath {
  const root = newPath();
  for (const path of paths) path.split('.').reduce(step, root).raw = true;
  return root;
}
