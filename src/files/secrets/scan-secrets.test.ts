import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { scanSecrets } from './scan-secrets.ts';

const scan = (text: string) => scanSecrets(text, () => Promise.resolve());
/** Random-looking, and in no real service. */
const R = 'q7Zr2LxW9pKd4TbN8vHs3MfYc6JgUa1E';

const SECRETS: readonly (readonly [rule: string, text: string])[] = [
  ['private-key', '-----BEGIN OPENSSH PRIVATE KEY-----\nabc'],
  ['aws-key', 'aws_access_key_id = AKIAQ7ZR2LXW5PKDTBNV'],
  ['github-token', `token: ghp_${R}q7Zr2`],
  ['gitlab-token', `glpat-${R.slice(0, 20)}`],
  ['npm-token', `//registry/:_authToken=npm_${R}${R.slice(0, 4)}`],
  ['slack-token', `xoxb-2401234567-${R}`],
  ['stripe-key', `sk_live_${R.slice(0, 24)}`],
  ['google-key', `AIza${R}q7Z`],
  ['ai-provider-key', `OPENAI_API_KEY=sk-proj-${R}`],
  ['ai-provider-key', `key sk-ant-${R}`],
  ['zhipu-key', `0f1e2d3c4b5a69788796a5b4c3d2e1f0.${R.slice(0, 16)}`],
  ['jwt', `eyJhbGciOiJIUzI1NiJ9xxxx.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${R}`],
  ['url-password', 'DATABASE_URL=postgres://app:q7Zr2LxW9p@db.internal:5432/app'],
  ['assigned-secret', `client_secret: "${R}"`],
];

describe('secrets in files', () => {
  for (const [rule, text] of SECRETS) {
    verifies('files:secrets', `${rule} is found, with its line and without itself`, async () => {
      const findings = await scan(`first\nsecond\n${text}\n`);
      expect(findings.map((each) => each.rule)).toContain(rule);
      expect(findings[0]?.line).toBe(3);
      expect(JSON.stringify(findings)).not.toContain(R.slice(0, 12));
    });
  }

  test('examples and placeholders are not findings', async () => {
    const text = [
      'AKIAIOSFODNN7EXAMPLE',
      'sk-your-key-here-your-key-here',
      'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
      'postgres://user:password@host/db',
      'postgres://app:${PASSWORD}@host/db',
      'api_key = "YOUR_API_KEY_GOES_RIGHT_HERE"',
      'const secretKey = "the quick brown fox"',
      'sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      'integrity sha512-abcdef',
    ].join('\n');
    expect(await scan(text)).toEqual([]);
  });

  test('a secret at the border of two pieces is found once', async () => {
    for (const before of [262_130, 262_144, 262_144 - 512]) {
      const text = `${'x'.repeat(before - 1)}\nglpat-${R.slice(0, 20)}\n${'y'.repeat(1000)}`;
      expect(await scan(text)).toEqual([{ rule: 'gitlab-token', title: 'GitLab token', line: 2 }]);
    }
  });

  test('hostile text costs linear time', async () => {
    for (const unit of ['eyJa.', 'sk-', 'postgres://a:', 'api_key="', '-----BEGIN ', 'glpat-a ']) {
      expect((await scan(unit.repeat(400_000))).length).toBeLessThanOrEqual(20);
    }
  });
});
