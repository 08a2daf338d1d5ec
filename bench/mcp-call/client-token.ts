import { spawnSync } from 'node:child_process';

/** Asks the daemon of this home for a token of a client that may read, as its owner would. */
export function addClientToken(program: string, home: string): string {
  const args = [program, 'access', 'add', 'bench', '--scope', 'read:*'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: { HOME: home, EXAI_HOME: home },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`no client could be added: ${stderr}`);
  return stdout.trim();
}
