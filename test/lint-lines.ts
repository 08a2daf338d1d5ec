import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { oxlintrc } from '../scripts/oxlintrc.ts';

/** What decides who may use what; other findings in a made-up line do not matter. */
const RULES = /no-restricted-|prefer-node-protocol|consistent-type-imports|\(exai\(|^exai\(/;

interface Finding {
  readonly code: string;
  readonly filename: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

/**
 * The lines that our linter refuses, as `path: line`, sorted; the files exist only for the while.
 */
export function refusedLines(files: Readonly<Record<string, readonly string[]>>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'exai-lint-'));
  try {
    const settings = oxlintrc();
    const jsPlugins = settings.jsPlugins.map((path) => resolve(path));
    // Types need a whole project; none of these rules do.
    const rules = { ...settings, jsPlugins, options: {}, categories: {} };
    writeFileSync(join(root, '.oxlintrc.json'), JSON.stringify(rules));
    for (const [path, lines] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), `${lines.join('\n')}\n`);
    }
    const oxlint = resolve('node_modules/.bin/oxlint');
    const { stdout } = spawnSync(oxlint, ['--format=json', 'src'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1e9,
    });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: Finding[] };
    const found = diagnostics
      .filter(({ code }) => RULES.test(code))
      .map(({ filename, labels }) => {
        const line = files[filename]?.[(labels[0]?.span.line ?? 0) - 1];
        return `${filename}: ${line}`;
      });
    return [...new Set(found)].sort();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
