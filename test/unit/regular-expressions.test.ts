import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { verifies } from '../verifies.ts';

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));

/**
 * Every file that builds a regular expression while it runs, how many, and why none of them can
 * take long. What a stranger wrote is never run on the main thread by the engine of the language,
 * which backtracks, but for the rules of a .gitignore, of which a package makes expressions: their
 * steps are counted before they run (`files/walk.ts`).
 */
const BUILT: Readonly<Record<string, readonly [count: number, because: string]>> = {
  'app/manager/open-manager.ts': [1, 'hosts of the configuration, escaped'],
  'app/listeners/port-holder.ts': [1, 'a number of a port, in hexadecimal'],
  'app/service/launchd.ts': [2, 'constant names'],
  'calls/scopes.ts': [1, 'constant words'],
  'cli/import/hide-secrets.ts': [1, 'constant patterns of secrets'],
  'cli/import/server-texts.ts': [2, 'constant patterns without nested repetition'],
  'cli/init/mask-lines.ts': [2, 'constant patterns, joined'],
  'cli/init/toml-format.ts': [3, 'constant names of tables'],
  'config/schema/fields.schema.ts': [1, 'a constant number'],
  'core/auth/agent-row.ts': [1, 'constant words'],
  'core/ids.ts': [1, 'constant words'],
  'core/json-schema/pattern/parse-pattern.ts': [1, 'of a schema: run on one character at a time'],
  'core/json-schema/pattern/match-pattern.ts': [1, 'of a schema: read and never run'],
  'core/json-text/json-text.ts': [1, 'a constant pattern, continued'],
  'calls/content-callables.ts': [1, 'templates of this program, escaped; addresses are bounded'],
  'extract/documents/legacy/encryption/agile-encryption.ts': [1, 'constant names of attributes'],
  'tools/file-chat/find-citations.ts': [3, 'constant patterns; the text is bounded'],
  'core/text/cut-words.ts': [3, 'constant classes'],
  'files/secrets/secret-rules.ts': [1, 'constant patterns'],
  'files/git/refs.ts': [1, 'a constant number'],
  'hub/scan/sanitise-in-steps.ts': [1, 'a constant class of characters'],
  'hub/scan/sanitise-result.ts': [1, 'a constant pattern, bounded'],
  'manager/classify/recency.ts': [2, 'constant words; the text is bounded'],
  'providers/kimi/chat.ts': [1, 'constant names'],
  'providers/openai-compatible/response/chunk-parser.ts': [1, 'constant names of fields'],
  'telemetry/logs/search-worker.ts': [1, 'of a client: run in a thread that is ended in time'],
  'telemetry/logs/log-search.ts': [1, 'of a client: read and never run'],
  'telemetry/redaction/secret-patterns.ts': [5, 'constant parts and a bounded number'],
  'telemetry/redaction/redact.ts': [1, 'secrets of the configuration, escaped'],
};

verifies(
  'security:foreign-patterns',
  'every regular expression that is built at run time is known, with the reason why it is safe',
  () => {
    const found = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/\.(?:test|fixture)\.ts$/.test(file))
      .map((file) => [file.split(sep).join('/'), built(file)] as const)
      .filter(([, count]) => count > 0);
    const known = Object.entries(BUILT).map(([file, [count]]) => [file, count]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(known));
  },
);

function built(file: string): number {
  const text = readFileSync(join(SOURCES, file), 'utf8');
  return [...text.matchAll(/\bRegExp\(/g)].length;
}
