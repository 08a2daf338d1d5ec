import { homePaths } from '#config/home/home.ts';
import { SETTING_ALIASES } from '#config/schema/setting-aliases.ts';
import { CallError } from '#core/errors/call-error.ts';
import { defineCommand } from '../command.ts';
import { unsetInConfigFile } from '../edit-config-file.ts';
import { requireSetting, SETTING_PATHS } from '../find-setting.ts';
import { printJson } from '../io.ts';
import { describeReload, reloadDaemon, reloadJson } from '../reload-daemon.ts';
import { findOverride } from './config-set.ts';

export const command = defineCommand({
  name: 'config unset',
  summary: 'Remove a setting from config.json, so that its default applies',
  positionals: [
    { name: 'setting', need: 'required', help: 'Such as limits.global', values: SETTING_PATHS },
  ],
  async run({ options, positionals }, io) {
    const { path } = requireSetting(positionals['setting'] ?? '');
    const home = homePaths(io.env);
    const old = SETTING_ALIASES.flatMap((alias) => (alias.current === path ? [alias.old] : []));
    const outcome = unsetInConfigFile(home, [path, ...old]);
    const overriddenBy = findOverride(path, io);
    if (outcome === 'unchanged') {
      throw new CallError('not_found', `${path} is not set in ${home.configFile}.`, {
        field: 'setting',
        fix: overriddenBy
          ? `It is set by ${overriddenBy}; remove it there.`
          : 'exai config show --changed lists the settings that are set.',
      });
    }
    const reload = await reloadDaemon(io, [path]);
    if (options.json) {
      const file = home.configFile;
      return printJson(io, { unset: path, file, overriddenBy, reload: reloadJson(reload) });
    }
    io.stdout.write(`Removed ${path} from ${home.configFile}.\n`);
    if (overriddenBy) io.stdout.write(`Note: ${overriddenBy} still sets it here.\n`);
    for (const each of describeReload(reload, { path, in: 'config.json' }))
      io.stdout.write(`${each}\n`);
  },
});
