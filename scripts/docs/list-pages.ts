import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The Markdown files that users and contributors read. */
export function listPages(): readonly string[] {
  const root = readdirSync('.').filter((name) => name.endsWith('.md'));
  const docs = readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name));
  return [...root, ...docs].toSorted();
}
