import { join } from 'node:path';
import { createDesk, type Desk } from '../workspace.fixture.ts';

/** A repository with one commit on `main`, of two files. */
export function createRepository(path = 'project'): Desk & { readonly repository: string } {
  const desk = createDesk();
  const repository = join(desk.base, path);
  desk.write(`${path}/a.ts`, 'one\ntwo\nthree\n');
  desk.write(`${path}/src/b.ts`, 'b\n');
  desk.git(repository, 'init', '--quiet', '--initial-branch=main');
  commit(desk, repository);
  return { ...desk, repository };
}

export function commit(desk: Desk, repository: string): void {
  desk.git(repository, 'add', '--all');
  desk.git(repository, 'commit', '--quiet', '--message=x');
}
