import { expect, test } from 'vitest';
import { mayHoldSecrets } from './secret-files.ts';

test.each([
  '.env',
  '.ENV',
  '.env.local',
  'prod.env',
  '.envrc',
  'server.pem',
  'tls.key',
  'id_rsa',
  'id_ed25519',
  'credentials',
  'Credentials.json',
  'secrets.yaml',
  'client_secret.json',
  'service-account-prod.json',
  'service_account.json',
  '.npmrc',
  '.netrc',
  'store.jks',
  'terraform.tfstate',
])('%s may hold secrets', (name) => {
  expect(mayHoldSecrets(name)).toBe(true);
});

test.each([
  '.env.example',
  '.env.sample',
  'environment.ts',
  'vite.env.d.ts',
  'id_rsa.pub',
  'credentials.ts',
  'secret-names.ts',
  'keys.ts',
  'monkey',
  'README.md',
])('%s is an ordinary file', (name) => {
  expect(mayHoldSecrets(name)).toBe(false);
});
