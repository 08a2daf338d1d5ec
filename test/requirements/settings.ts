/** Promises about settings that change while the daemon runs, and the commands that change them. */
export const SETTING_REQUIREMENTS = {
  'config:records': 'A section of the configuration may have entries with free names.',
  'config:applies':
    'Every setting is marked as applying at a reload or at a restart, and what applies at a reload takes effect there.',
  'config:commands':
    '`exai config get`, `set`, `unset`, `show --changed` and `reload` read and change single settings and say whether they took effect.',
  'config:set-safe':
    '`exai config set` refuses secrets and invalid values, and leaves the rest of config.json as it is.',
  'reload:keys':
    'A key that is added while the daemon runs answers the next question, without a restart.',
  'reload:invalid': 'A reload with invalid settings changes nothing and names what is wrong.',
  'reload:start':
    'Settings that a command writes while a daemon starts are in effect when it has started.',
  'reload:owner': 'Only the owner can reload the settings.',
  'reload:load': 'A reload loses no call, and calls under way finish with the old settings.',
  'reload:signal': 'SIGHUP reloads the settings; any number of signals at once do no harm.',
  'reload:secrets': 'A key that a reload brings is never in the logs, and neither is the old one.',
  'reload:record': 'The log and the audit name the settings that a reload changed, never values.',
  'keys:other-vendors':
    'Keys of vendors that are not used are named by `exai doctor` where the environment has them, and never used.',
} as const;
