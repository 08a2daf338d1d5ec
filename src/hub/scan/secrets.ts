/** Parts of paths of files that hold secrets, or that run at the next start or login. */
const SECRET_FILES = [
  '.ssh/',
  '~/.ssh',
  'id_rsa',
  'id_ed25519',
  'id_ecdsa',
  '.aws/credentials',
  '.aws/config',
  '/etc/passwd',
  '/etc/shadow',
  '/etc/sudoers',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  '.pgpass',
  '.kube/config',
  '.docker/config.json',
  '.bash_history',
  '.zsh_history',
  '.cursor/mcp.json',
  'claude_desktop_config',
  'wallet.dat',
  'login data',
  '/proc/self/environ',
  '.gnupg',
  '.config/gcloud',
];
const STARTUP_FILES = [
  '.bashrc',
  '.zshrc',
  '.bash_profile',
  '.profile',
  'authorized_keys',
  'crontab',
  '/etc/hosts',
  '/etc/cron',
  '.cursorrules',
  '.cursor/rules',
];

export function namesSecretFile(lower: string): boolean {
  return SECRET_FILES.some((part) => lower.includes(part));
}

export function namesStartupFile(lower: string): boolean {
  return STARTUP_FILES.some((part) => lower.includes(part));
}

/** Parts of commands that tools are not described with. */
const COMMANDS = [
  'rm -rf',
  'rm -fr',
  'curl http',
  'curl -',
  'wget http',
  'wget -',
  'chmod +x',
  'chmod 777',
  '| sh',
  '| bash',
  '|sh',
  '|bash',
  '/bin/sh',
  '/bin/bash',
  'bash -c',
  'bash -i',
  'sh -c',
  '/dev/tcp/',
  'nc -e',
  'ncat ',
  'mkfifo',
  'base64 -d',
  'base64 --decode',
  'powershell -',
  'invoke-webrequest',
  'invoke-expression',
  'iex(',
  'cat ~/',
  'cat /etc',
  'sudo ',
  ' && ',
  '>> ~/',
  '> ~/',
  '$(curl',
  'echo $',
  'python -c',
  'node -e',
  'os.system(',
  'subprocess.',
  'eval(',
  'certutil',
  'crontab -',
];

export function containsCommand(lower: string): boolean {
  return COMMANDS.some((part) => lower.includes(part));
}

const ADDRESS = /\bhttps?:\/\/[^\s"'<>]{3}|\b[\w.+-]{1,64}@[a-z0-9-]{1,63}\.[a-z]/;
export function isAddress(word: string): boolean {
  return ADDRESS.test(word) || word.startsWith('http://') || word.startsWith('https://');
}
