import { homePaths } from '#config/home/home.ts';
import { confirm } from '../confirm.ts';
import type { PathContext } from '../init/paths.ts';
import { printRawJson, type Io } from '../io.ts';
import { describeReload, reloadDaemon, reloadJson } from '../reload-daemon.ts';
import { printImportErrors, printUndoPlan } from './render-import.ts';
import { planImportUndo, runImportUndo } from './undo-import.ts';

interface UndoOptions {
  readonly json?: true;
  readonly yes?: true;
  readonly 'dry-run'?: true;
}

/** `exai import --undo`: takes the newest import back. */
export async function undoImport(
  options: UndoOptions,
  io: Io,
  machine: PathContext,
): Promise<number> {
  const home = homePaths(io.env);
  const plan = planImportUndo(home);
  if (!plan) {
    if (options.json) printRawJson(io, { undone: false, files: [], servers: [], variables: [] });
    else io.stdout.write('There is no import to undo.\n');
    return 0;
  }
  if (!options.json) printUndoPlan(io, plan, machine);
  const isWritten = !options['dry-run'];
  if (isWritten && !options.yes) {
    await confirm({
      input: process.stdin,
      output: io.stderr,
      question: 'Take this import back?',
      ifDeclined: 'nothing was taken back',
    });
  }
  const files = isWritten ? runImportUndo(home, plan) : plan.files;
  const paths = plan.servers.map((name) => `mcpServers.${name}`);
  const reload = isWritten && paths.length > 0 ? await reloadDaemon(io, paths) : undefined;
  const errors = files.flatMap((each) => (each.is === 'refused' ? [each.error] : []));
  if (options.json) {
    printRawJson(io, {
      undone: isWritten,
      at: plan.record.at,
      files: files.map(({ is, file }) => ({ client: file.client, file: file.file, decision: is })),
      servers: plan.servers,
      kept: plan.kept,
      variables: plan.variables,
      ...(reload && { reload: reloadJson(reload) }),
      errors: errors.map((error) => error.toJSON()),
    });
  } else {
    io.stdout.write(isWritten ? '\nThe import was taken back.\n' : '\nNothing was written.\n');
    const [path] = paths;
    if (reload && path !== undefined) {
      for (const line of describeReload(reload, { path, in: 'config.json' }))
        io.stdout.write(`${line}\n`);
    }
    printImportErrors(io, errors);
  }
  return errors[0]?.policy.exit ?? 0;
}
