/** Packages that only tests run, from their own lock files, several folders at a time. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Resolves when all of them are there; rejects with the words of the one that cannot be installed.
 */
export async function installTools(folders: readonly string[]): Promise<void> {
  await Promise.all(folders.map(install));
}

/** What `npm ci` would put there again is left as it is. */
async function install(folder: string): Promise<void> {
  const mark = join(folder, 'node_modules', '.installed');
  const wanted = digestOf(folder);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) {
    console.log(`${folder}: installed`);
    return;
  }
  console.log(`${folder}: ${await npmCi(folder)}`);
  writeFileSync(mark, wanted);
}

/**
 * Of all that decides what is installed: the lists, the machine, and the Node that native parts are
 * built for.
 */
function digestOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of ['package.json', 'package-lock.json'])
    hash.update(readFileSync(join(folder, name)));
  const { platform, arch, versions } = process;
  return hash.update(`${platform} ${arch} ${versions.modules}`).digest('hex');
}

function npmCi(folder: string): Promise<string> {
  const args = ['ci', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'];
  // Some of it wants a newer Node than we do, and gets one; npm hands our own strictness on.
  const env = { ...process.env, npm_config_engine_strict: 'false' };
  const child = spawn('npm', args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(said.trim());
      else reject(new Error(`npm ${args.join(' ')} ended with ${code}\n${said}`));
    });
  });
}
