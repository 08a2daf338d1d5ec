import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeRepository, type ToolsWorld } from './tools-world.ts';

/** A verdict that the emulated expert finds in a file and gives: it quotes the sentence that fits the question best. */
const VERDICT = {
  summary: 'The cache only grows',
  findings: [{ severity: 'high', description: 'Never emptied', file: 'cache.ts', line: 4 }],
  next_steps: ['Cap it'],
};
const WANTS = {
  status: 'files_required_to_continue',
  mandatory_instructions: 'Show who fills the cache',
  files_needed: ['fill.ts'],
};

/** Files that decide what an expert says. */
export const SAYS = {
  verdict: 'cache.ts',
  wants: 'wants.ts',
  garbage: 'garbage.ts',
} as const;

/** Puts what the cases read where each client may read it. */
export function prepareFolders({ project, shared }: Pick<ToolsWorld, 'project' | 'shared'>): void {
  for (const folder of [project, shared]) {
    makeRepository(folder);
    const quoted = (words: string) => `Judge the work of request and findings: ${words}\n`;
    writeFileSync(join(folder, SAYS.verdict), quoted(JSON.stringify(VERDICT)));
    writeFileSync(join(folder, SAYS.wants), quoted(JSON.stringify(WANTS)));
    writeFileSync(join(folder, SAYS.garbage), quoted('{"summary": ["broken", {{{ "findings": }'));
  }
}
