/** Names of files that usually contain keys or passwords and must not be shown to a model. */
const NAMES = new Set([
  '.dockercfg',
  '.dockerconfigjson',
  '.git-credentials',
  '.htpasswd',
  '.netrc',
  '.npmrc',
  '.pgpass',
  '.pypirc',
  '.vault-token',
  '_netrc',
  'credentials',
  'credentials.json',
  'gshadow',
  'id_dsa',
  'id_ecdsa',
  'id_ecdsa_sk',
  'id_ed25519',
  'id_ed25519_sk',
  'id_rsa',
  'kubeconfig',
  'master.passwd',
  'shadow',
]);
const ENDINGS =
  /\.(?:pem|key|p8|p12|pfx|ppk|jks|keystore|kdbx|tfstate|tfstate\.backup|gpg|ovpn|agekey)$/;
const ENVIRONMENT = /^\.env(?:\..+)?$|^.+\.env$|^\.envrc$/;
/** Templates without values, made to be shared. */
const EXAMPLE = /\.(?:example|sample|template|dist|defaults)$/;
const SECRETS = /^(?:client_)?secrets?\.(?:json|ya?ml|toml|ini|env|properties)$/;
const ACCOUNT = /^service[-_]?account.*\.json$/;

export function mayHoldSecrets(fileName: string): boolean {
  const name = fileName.toLowerCase();
  if (NAMES.has(name) || ENDINGS.test(name) || SECRETS.test(name) || ACCOUNT.test(name)) {
    return true;
  }
  return ENVIRONMENT.test(name) && !EXAMPLE.test(name);
}
