import { createHash } from 'node:crypto';

/** Anthropic takes names of 128 characters, the vendors half of that. */
const MAX_CHARS = 64;
const DIGEST_CHARS = 8;

/** The name as vendors take it: the same for the same name, and as long as they allow. */
export function shortToolName(name: string): string {
  if (name.length <= MAX_CHARS) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST_CHARS);
  return `${name.slice(0, MAX_CHARS - DIGEST_CHARS - 1)}_${digest}`;
}

/** From the name as a model writes it to the one that the client gave. */
export type FullToolName = (name: string) => string;

export function fullToolNames(given: readonly string[]): FullToolName {
  const long = given.filter((name) => name.length > MAX_CHARS);
  if (long.length === 0) return (name) => name;
  const full = new Map(long.map((name) => [shortToolName(name), name]));
  return (name) => full.get(name) ?? name;
}
