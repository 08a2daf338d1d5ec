/** One line of a bench: a figure, and where it has one its goal. */
export interface BenchRow {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** Against the floor, the peer or the smaller case of the same run. */
  readonly ratio?: number;
  readonly goal?: string;
  readonly ok?: boolean;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The last line of every bench, read by scripts/bench.ts. */
export function report(name: string, rows: readonly BenchRow[]): void {
  console.log(JSON.stringify({ name, rows }));
}
