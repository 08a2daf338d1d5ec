import { CallError } from '#core/errors/call-error.ts';
import { printRawJson, type Io } from '../io.ts';
import { describeReload, reloadDaemon, reloadJson } from '../reload-daemon.ts';
import type { NewServerOptions } from './new-server.ts';
import { fillPreset, printMissing, storeTyped } from './preset-entry.ts';
import type { ServerPreset } from './presets.ts';

interface AddRequest {
  readonly name: string;
  readonly words: readonly string[];
  readonly options: NewServerOptions & { readonly json?: boolean };
}

/** Adds a server that needs no entry of `mcpServers`: stores its variables, or names those that are missing. */
export async function addBySetting(
  preset: ServerPreset,
  { name, words, options }: AddRequest,
  io: Io,
): Promise<void> {
  const { id, setting = '' } = preset;
  requirePlain(id, name, options);
  const { typed, missing } = await fillPreset(preset, name, words, io);
  storeTyped(typed, io);
  const reload = typed.size === 0 ? undefined : await reloadDaemon(io, [setting]);
  if (options.json) {
    return printRawJson(io, {
      added: name,
      preset: id,
      missing: missing.map(({ variable }) => variable),
      ...(reload && { reload: reloadJson(reload) }),
    });
  }
  const done =
    missing.length === 0
      ? `${name} is a server behind EX-AI. Try it: exai servers restart ${name}`
      : `${name} needs no entry in config.json: its variables add it.`;
  io.stdout.write(`${done}\n`);
  printMissing({ missing }, io);
  const lines = reload ? describeReload(reload, { path: setting, in: '.env' }) : [];
  for (const line of lines) io.stdout.write(`${line}\n`);
}

/** There is one such server, under its own name, and nothing of it is chosen here. */
function requirePlain(id: string, name: string, options: NewServerOptions): void {
  const { url, type, env = [], header = [], cwd } = options;
  const isPlain = [url, type, cwd].every((each) => each === undefined) && env.length === 0;
  if (name === id && isPlain && header.length === 0) return;
  const message = `The preset ${id} takes no other name and no options.`;
  throw new CallError('bad_request', message, {
    field: name === id ? 'options' : 'name',
    fix: `exai servers add ${id}`,
  });
}
