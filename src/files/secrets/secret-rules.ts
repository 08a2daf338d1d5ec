/** How one kind of secret is found. Every pattern starts at a literal, so its cost is linear. */
export interface SecretRule {
  /** Stable; shown to users and in logs. */
  readonly id: string;
  readonly title: string;
  /** Global, without the flag `m`: matched within one piece of text. */
  readonly pattern: RegExp;
  /** Excludes matches that are examples: `AKIAIOSFODNN7EXAMPLE`, `sk-your-key-here`. */
  readonly isReal?: (match: string) => boolean;
}

const START = '(?<![A-Za-z0-9_-])';

function token(pattern: string): RegExp {
  return new RegExp(`${START}(?:${pattern})`, 'g');
}

/** Shannon entropy, in bits per character. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

const PLACEHOLDER =
  /example|placeholder|changeme|your[-_]|xxxx|\*\*\*|<[a-z]|dummy|redacted|1234567890|abcdef/i;
const MIN_BITS = 3;

/** Random enough to be a key, and not a placeholder. */
function isRandom(match: string): boolean {
  return !PLACEHOLDER.test(match) && entropy(match) >= MIN_BITS;
}

/** The value of `name = "value"`. */
function isRandomValue(match: string): boolean {
  const value = /["'`]([^"'`]*)["'`]?$/.exec(match)?.[1] ?? '';
  return isRandom(value) && /\d/.test(value) && /[A-Za-z]/.test(value);
}

export const SECRET_RULES: readonly SecretRule[] = [
  {
    id: 'private-key',
    title: 'private key',
    pattern: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g,
  },
  {
    id: 'aws-key',
    title: 'AWS access key',
    pattern: token('(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])'),
    isReal: isRandom,
  },
  {
    id: 'github-token',
    title: 'GitHub token',
    pattern: token('gh[oprsu]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,}'),
    isReal: isRandom,
  },
  {
    id: 'gitlab-token',
    title: 'GitLab token',
    pattern: token('gl(?:pat|ptt|rt|dt)-[A-Za-z0-9_-]{20,}'),
    isReal: isRandom,
  },
  { id: 'npm-token', title: 'npm token', pattern: token('npm_[A-Za-z0-9]{36}'), isReal: isRandom },
  {
    id: 'pypi-token',
    title: 'PyPI token',
    pattern: token('pypi-[A-Za-z0-9_-]{50,}'),
    isReal: isRandom,
  },
  {
    id: 'slack-token',
    title: 'Slack token',
    pattern: token('xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{20,}'),
    isReal: isRandom,
  },
  {
    id: 'slack-webhook',
    title: 'Slack webhook',
    pattern: /hooks\.slack\.com\/services\/T[A-Z0-9]{6,}\/B[A-Z0-9]{6,}\/[A-Za-z0-9]{16,}/g,
  },
  {
    id: 'stripe-key',
    title: 'Stripe key',
    pattern: token('[prs]k_live_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{24,}'),
    isReal: isRandom,
  },
  {
    id: 'google-key',
    title: 'Google API key',
    pattern: token('AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{24,}|ya29\\.[A-Za-z0-9_-]{30,}'),
    isReal: isRandom,
  },
  {
    id: 'ai-provider-key',
    title: 'API key of a model provider',
    pattern: token(
      'sk-(?:ant-|proj-|or-v1-|kimi-)?[A-Za-z0-9_-]{20,}|(?:gsk_|xai-|pplx-|hf_|r8_)[A-Za-z0-9_-]{24,}',
    ),
    isReal: isRandom,
  },
  {
    id: 'zhipu-key',
    title: 'API key of Z.ai',
    pattern: token('[0-9a-f]{32}\\.[A-Za-z0-9]{16}(?![A-Za-z0-9])'),
    isReal: isRandom,
  },
  {
    id: 'sendgrid-key',
    title: 'SendGrid key',
    pattern: token('SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{32,}'),
    isReal: isRandom,
  },
  {
    id: 'twilio-key',
    title: 'Twilio key',
    pattern: token('SK[0-9a-f]{32}(?![0-9a-f])'),
    isReal: isRandom,
  },
  { id: 'azure-key', title: 'Azure storage key', pattern: /AccountKey=[A-Za-z0-9+/]{80,}={0,2}/g },
  {
    id: 'exai-token',
    title: 'EX-AI token',
    pattern: token('exai(?:-owner-|_)[A-Za-z0-9_-]{20,}'),
    isReal: isRandom,
  },
  {
    id: 'jwt',
    title: 'JSON web token',
    pattern: token('eyJ[A-Za-z0-9_-]{15,}\\.eyJ[A-Za-z0-9_-]{15,}\\.[A-Za-z0-9_-]{20,}'),
  },
  {
    id: 'url-password',
    title: 'password in a URL',
    pattern:
      /(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|redis|rediss|amqps?|https?|ftp):\/\/[^\s/?#@:"'<>]{1,100}:[^\s/?#@:"'<>{}$%*]{6,100}@(?!localhost|127\.|example)/g,
    isReal: (match) => !PLACEHOLDER.test(match) && !/:(?:password|secret|pass|user)@/i.test(match),
  },
  {
    id: 'assigned-secret',
    title: 'secret in an assignment',
    pattern:
      /(?:api|access|auth|client|secret|private|encryption|signing)[_-]?(?:key|token|secret|password)["']?[ \t]{0,4}[:=]{1,2}[ \t]{0,4}["'`][A-Za-z0-9+/_=.~-]{20,200}["'`]/gi,
    isReal: isRandomValue,
  },
];
