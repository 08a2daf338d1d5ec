/** Below 0 when `a` is older than `b`, above when newer: by the rules of semver, of which builds are left out. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < 3; i++) {
    const difference = (left.numbers[i] ?? 0) - (right.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  // What comes before a release is older than it.
  if (left.before.length === 0 || right.before.length === 0) {
    return Math.sign(right.before.length - left.before.length);
  }
  const length = Math.max(left.before.length, right.before.length);
  for (let i = 0; i < length; i++) {
    const difference = compareIdentifiers(left.before[i], right.before[i]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function parts(version: string): { numbers: number[]; before: string[] } {
  const [release = '', ...rest] = (version.split('+')[0] ?? '').split('-');
  const numbers = release.split('.').map((text) => Number.parseInt(text, 10) || 0);
  return { numbers, before: rest.length === 0 ? [] : rest.join('-').split('.') };
}

function compareIdentifiers(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  const [left, right] = [numeric(a), numeric(b)];
  if (left !== undefined && right !== undefined) return left - right;
  if (left !== undefined) return -1;
  if (right !== undefined) return 1;
  return a < b ? -1 : 1;
}

function numeric(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
