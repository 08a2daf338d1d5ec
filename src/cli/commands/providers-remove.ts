import { findAddedProvider } from '#app/admin/examine-provider.ts';
import { homePaths } from '#config/home/home.ts';
import { loadConfig } from '#config/load/load.ts';
import { describeOrigin } from '#config/load/origin.ts';
import { removeAddedVariables } from '#config/secrets/keys.ts';
import { CallError } from '#core/errors/call-error.ts';
import { findProvider } from '#core/providers/list.ts';
import { defineCommand } from '../command.ts';
import { confirm } from '../confirm.ts';
import { unsetInConfigFile } from '../edit-config-file.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printJson } from '../io.ts';
import { describeReload, reloadDaemon, reloadJson } from '../reload-daemon.ts';

export const command = defineCommand({
  name: 'providers remove',
  summary: 'Remove an added provider and its key',
  about:
    'Calls under way finish; new ones no longer use it. A role that names one of its models uses its default model again, ' +
    'with a notice.',
  positionals: [{ name: 'name', need: 'required', help: 'The provider, such as deepseek' }],
  options: { yes: { type: 'boolean', short: 'y', help: 'Remove it without asking' } },
  async run({ options, positionals }, io) {
    const name = positionals['name'] ?? '';
    const home = homePaths(io.env);
    const loaded = loadConfig({ env: io.env });
    if (findProvider(name)) throw builtIn(name);
    const { title } = findAddedProvider(loaded, name);
    if (!options.yes) {
      await confirm({
        input: process.stdin,
        output: io.stderr,
        question: `Remove ${title} and its key?`,
        ifDeclined: 'nothing was removed',
      });
    }
    const path = `providers.added.${name}`;
    const before = [...loaded.origins.keys()].filter((each) => each.startsWith(`${path}.`));
    unsetInConfigFile(home, [path]);
    removeAddedVariables(home, name);
    const after = loadConfig({ env: io.env });
    const origins = [...after.origins].filter(([each]) => each.startsWith(`${path}.`));
    const left = [
      ...new Set(
        origins.flatMap(([, origin]) =>
          origin.kind === 'default' ? [] : [describeOrigin(origin)],
        ),
      ),
    ];
    const roles = rolesNaming(name, loaded.config.models);
    const reload = await reloadDaemon(io, before);
    if (options.json) {
      return printJson(io, { removed: name, stillSetBy: left, roles, reload: reloadJson(reload) });
    }
    io.stdout.write(`Removed ${name} from ${home.configFile} and ${home.envFile}.\n`);
    for (const place of left)
      io.stdout.write(`Note: it is still set by ${escapeControls(place)}.\n`);
    for (const role of roles)
      io.stdout.write(
        `Note: ${role} names one of its models. Unset it with: exai config unset ${role}\n`,
      );
    if (reload.is === 'refused') {
      for (const line of describeReload(reload, { path, in: 'config.json' }))
        io.stdout.write(`${escapeControls(line)}\n`);
    } else if (reload.is === 'reloaded') {
      io.stdout.write('The running daemon no longer uses it.\n');
    }
  },
});

function builtIn(name: string): CallError {
  return new CallError('validation', `${name} is a built-in provider, which cannot be removed.`, {
    field: 'name',
    fix: `To stop using it, remove its key: exai keys remove ${name}`,
  });
}

/** The settings of roles that name a model of this provider. */
function rolesNaming(name: string, models: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(models).flatMap(([role, model]) =>
    typeof model === 'string' && model.toLowerCase().startsWith(`${name}/`)
      ? [`models.${role}`]
      : [],
  );
}
