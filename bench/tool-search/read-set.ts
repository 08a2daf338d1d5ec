import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export interface BenchTool {
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: Readonly<Record<string, never>>;
}

export interface BenchQuery {
  readonly query: string;
  /** Ids of the right tools. */
  readonly relevant: readonly string[];
}

export interface BenchSet {
  readonly name: string;
  readonly tools: readonly BenchTool[];
  readonly queries: readonly BenchQuery[];
}

const DEVELOPMENT = resolve('../shared/tool-search');

/** The queries that mcpproxy-go publishes its figures for, and the development set where it is there. */
export function readSets(): readonly BenchSet[] {
  const golden = read(resolve('bench/tool-search/golden.json')) as Omit<BenchSet, 'name'>;
  const sets: BenchSet[] = [{ ...golden, name: 'mcpproxy-go' }];
  if (!existsSync(DEVELOPMENT)) return sets;
  const tools = read(`${DEVELOPMENT}/tools.json`) as BenchSet['tools'];
  const queries = read(`${DEVELOPMENT}/queries.json`) as BenchSet['queries'];
  const half = (odd: number) => queries.filter(({ relevant: [id = ''] }) => digest(id) % 2 === odd);
  return [
    ...sets,
    { name: 'development', tools, queries },
    // By their tools: words were chosen after seeing queries of the first half alone.
    { name: 'development, half seen', tools, queries: half(0) },
    { name: 'development, half held out', tools, queries: half(1) },
  ];
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** FNV-1a. */
function digest(text: string): number {
  let value = 2_166_136_261;
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 16_777_619);
  }
  return value >>> 0;
}
