import { fix } from '#core/messages/fixes.ts';
import { didYouMean } from '#core/nearest.ts';
import type { GivenText } from './given.ts';
import type { Report } from './report.ts';
import { findSetting, SETTINGS } from './settings.ts';

/** Settings given on the command line, by their dotted path. */
export function readFlags(
  flags: Readonly<Record<string, string>>,
  report: Report,
): Map<string, GivenText> {
  const given = new Map<string, GivenText>();
  for (const [path, written] of Object.entries(flags)) {
    const name = `--${path}`;
    if (!findSetting(path)) {
      const paths = SETTINGS.map((setting) => setting.path);
      const message = `"${path}" is not a setting${didYouMean(path, paths) || '.'}`;
      report.problem(() => ({
        field: name,
        message,
        fixes: [fix('correct_setting', { setting: name })],
      }));
    }
    given.set(path, { form: 'text', written, origin: { kind: 'flag', name } });
  }
  return given;
}
