import { markNotes, seal } from './service-mark.ts';
import type { ServiceSpec } from './service-spec.ts';

export const LABEL = 'exai.daemon';

/** launchd cannot tell failures apart, so one that stays, such as another daemon on the home, is met this often. */
const THROTTLE_S = 60;

/** The text of the user's launch agent. */
export function writePlist({ program, home, homeIs, stopWithinS }: ServiceSpec): string {
  const [homeNote, check] = markNotes(home);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<!-- Written by `exai service install`, which writes over changes made here only when forced.',
    `${homeNote}`,
    `${check} -->`,
    '<plist version="1.0">',
    '<dict>',
    ...entry('Label', string(LABEL)),
    ...entry('ProgramArguments', '<array>', ...program.map(string), '</array>'),
    ...(homeIs === 'told'
      ? entry('EnvironmentVariables', '<dict>', ...entry('EXAI_HOME', string(home)), '</dict>')
      : []),
    ...entry('RunAtLoad', '<true/>'),
    ...entry('KeepAlive', '<dict>', ...entry('SuccessfulExit', '<false/>'), '</dict>'),
    ...entry('ThrottleInterval', integer(THROTTLE_S)),
    ...entry('ExitTimeOut', integer(stopWithinS)),
    // A core dump would hold keys.
    ...entry('SoftResourceLimits', '<dict>', ...entry('Core', integer(0)), '</dict>'),
    '</dict>',
    '</plist>',
    '',
  ];
  return seal(lines.join('\n'));
}

function entry(key: string, ...value: readonly string[]): string[] {
  return [`<key>${escape(key)}</key>`, ...value];
}

function string(text: string): string {
  return `<string>${escape(text)}</string>`;
}

function integer(value: number): string {
  return `<integer>${value}</integer>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
