import { expect, test } from 'vitest';
import { installCommand } from './install-command.ts';

test.each([
  [['debian'], 'sudo apt-get install ffmpeg'],
  [['linuxmint', 'ubuntu', 'debian'], 'sudo apt-get install ffmpeg'],
  [['rocky', 'rhel', 'centos', 'fedora'], 'sudo dnf install ffmpeg'],
  [['alpine'], 'apk add ffmpeg'],
  [['darwin'], 'brew install ffmpeg'],
  [['plan9'], undefined],
])('on %j it is %j', (system, command) => {
  expect(installCommand('ffmpeg', system)).toBe(command);
});
