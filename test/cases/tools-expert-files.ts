import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeRepository, type ToolsHarness } from './tools-harness.ts';

/**
 * A verdict that the emulated expert finds in a file and gives: it quotes the sentence that fits
 * the question best.
 */
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
export const EXPERT_FILES = {
  verdict: 'cache.ts',
  wants: 'wants.ts',
  garbage: 'garbage.ts',
} as const;

/** Puts what the cases read where each client may read it. */
export function prepareFolders({
  project,
  shared,
}: Pick<ToolsHarness, 'project' | 'shared'>): void {
  for (const folder of [project, shared]) {
    makeRepository(folder);
    const quoted = (words: string) => `Judge the work of request and findings: ${words}\n`;
    writeFileSync(join(folder, EXPERT_FILES.verdict), quoted(JSON.stringify(VERDICT)));
    writeFileSync(join(folder, EXPERT_FILES.wants), quoted(JSON.stringify(WANTS)));
    writeFileSync(
      join(folder, EXPERT_FILES.garbage),
      quoted('{"summary": ["broken", {{{ "findings": }'),
    );
  }
}
