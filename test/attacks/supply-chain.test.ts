import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';

const LEAST_CHECKS = 800;

interface Locked {
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

interface Packed {
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

let checks = 0;

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Locked>;
};
const locked = Object.entries(lock.packages).filter(([path]) => path !== '');

function packedFiles(): readonly { readonly path: string; readonly mode: number }[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const said = execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [packed] = JSON.parse(said) as readonly Packed[];
  return packed?.files ?? [];
}

verifies('security:package', 'every package of the lock has its digest', () => {
  for (const [path, { integrity }] of locked) {
    checks += 1;
    expect([path, integrity]).toEqual([
      path,
      expect.stringMatching(/^sha512-[A-Za-z0-9+/]{86}==$/),
    ]);
  }
});

verifies('security:package', 'no package of a production install runs a script', () => {
  const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    allowScripts: Record<string, boolean>;
  };
  for (const [path, { dev, hasInstallScript = false }] of locked) {
    checks += 1;
    if (!hasInstallScript) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    // What is there for the tests alone is named, and switched off where it can be.
    expect([name, dev, allowScripts[name] ?? 'optional']).toEqual([
      name,
      true,
      expect.not.stringMatching(/^true$/),
    ]);
  }
});

verifies('security:package', 'the package holds nothing of tests, machines or people', () => {
  const files = packedFiles();
  const paths = files.map(({ path }) => path);
  expect(paths).toContain('bin/exai.cjs');
  expect(paths.some((path) => path.startsWith('dist/'))).toBe(true);
  const known =
    /^(?:bin\/|dist\/|docs\/|README\.md$|CHANGELOG\.md$|LICENSE$|\.env\.example$|package\.json$)/;
  const hidden =
    /(?:^|\/)(?:\.(?!env\.example$)|node_modules\/|.*\.(?:pem|key|p12|sqlite|db|log|jsonl)$)/;
  const secret =
    /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/]{40}|_authToken|exai_[A-Za-z0-9_-]{43}/;
  const machine = [process.cwd(), ...[homedir(), hostname()].filter((name) => name.length > 6)];
  for (const path of paths) {
    checks += 1;
    expect([path, known.test(path), hidden.test(path)]).toEqual([path, true, false]);
    const content = readFileSync(path, 'utf8');
    expect([path, machine.filter((name) => content.includes(name))]).toEqual([path, []]);
    expect([path, secret.test(content)]).toEqual([path, false]);
    // The maps are not packed; they tell what a file was made of.
    if (!/^dist\/.*\.js$/.test(path)) continue;
    checks += 1;
    const { sources } = JSON.parse(readFileSync(`${path}.map`, 'utf8')) as {
      sources: readonly string[];
    };
    const foreign = sources.filter((source) =>
      /^\/|(?:^|\/)(?:emulator|test|scripts)\//.test(source),
    );
    const own = foreign.filter((source) => !source.includes('node_modules/'));
    expect([path, own]).toEqual([path, []]);
  }
});

test('all of them were checked', () => {
  console.log(`supply chain: ${checks} checks`);
  expect(checks).toBeGreaterThanOrEqual(LEAST_CHECKS);
});
