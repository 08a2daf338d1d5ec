import { join } from 'node:path';
import { createWorkspaceBench, type WorkspaceBench } from '../workspace.fixture.ts';

/** A repository with one commit of two files on `main`. */
export function createRepository(
  path = 'project',
): WorkspaceBench & { readonly repository: string } {
  const bench = createWorkspaceBench();
  const repository = join(bench.base, path);
  bench.write(`${path}/a.ts`, 'one\ntwo\nthree\n');
  bench.write(`${path}/src/b.ts`, 'b\n');
  bench.git(repository, 'init', '--quiet', '--initial-branch=main');
  commit(bench, repository);
  return { ...bench, repository };
}

export function commit(bench: WorkspaceBench, repository: string): void {
  bench.git(repository, 'add', '--all');
  bench.git(repository, 'commit', '--quiet', '--message=x');
}
