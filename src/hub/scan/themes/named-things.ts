import { isAddress } from '../secrets.ts';

const HOST =
  /^(?:[\w.+-]{1,64}@|s3:\/\/)?(?:[a-z0-9-]{1,63}\.)+(?:com|net|org|io|dev|app|xyz|example|test|sh|ru|cn|info|biz|co|invalid|tld|ai|cloud|site)(?:[:/?#].*)?$/;
/** Where definitions send their readers. */
const DOCUMENTATION =
  /localhost|127\.0\.0\.1|github\.com|wikipedia|schema\.org|w3\.org|ietf\.org|docs?\.|\.md$/;

/** `https://…`, `proxy.example.com`, `desk@example.com`. */
export function namesHost(word: string): boolean {
  return (HOST.test(word) || isAddress(word)) && !DOCUMENTATION.test(word);
}

const SECRET_FILES = [
  /\.ssh(?!\/(?:config|known_hosts|authorized_keys))\b|id_rsa|id_ed25519|id_ecdsa|\.pem$|wallet\.dat/,
  /\.aws\b|\.kube|kubeconfig|\.docker\/config|\.gnupg|gcloud|git-credentials|\.netrc|\.npmrc|\.pypirc|\.pgpass/,
  /\/etc\/(?:passwd|shadow|sudoers)|\/proc\/self\/environ|printenv|(?:bash|zsh)_history/,
  /mcp\.json|claude_desktop_config|(?:^|\/)\.env\b|database\.yml|secrets?\.(?:ya?ml|json|toml)/,
];

export function isSecretFile(word: string): boolean {
  return SECRET_FILES.some((pattern) => pattern.test(word));
}

const SECRET_VARIABLE =
  /^\$?\{?[A-Z][A-Z0-9]*_(?:[A-Z0-9]+_)*(?:KEY|TOKEN|SECRET|PASSWORD|PASS)\}?$/;

/** `ACME_API_KEY`, as it was written. */
export function isSecretVariable(raw: string): boolean {
  return SECRET_VARIABLE.test(raw);
}

const ACCOUNT_CODE =
  /^(?:0x[0-9A-Za-z]{6,}|(?=.*\d)(?=.*[A-Z])[A-Z0-9]{2,}(?:-[A-Z0-9]{2,}){1,3})$/;
/** Standards, time zones, dates and keys of issues. */
const KNOWN_CODES =
  /^(?:UTF|ISO|SHA|AES|RSA|RFC|GPT|HMAC|ECMA|IEEE|CVE|GHSA|UTC|GMT|US|EU|AP)-?\d*|^[A-Z]+-\d{1,5}$|^\d{4}-/;

/** `XX-0042-EXT`, `0x52…`: an account or a channel, as it was written. */
export function isAccountCode(raw: string): boolean {
  return ACCOUNT_CODE.test(raw) && !KNOWN_CODES.test(raw);
}

const COMMAND_WORD = /curl|wget|\/bin\/|bash|sh$|rm|chmod|\||&&|\$\(|powershell|eval|python|node/;

/** A word of a command, in a sentence that has one. */
export function isCommandWord(word: string): boolean {
  return COMMAND_WORD.test(word);
}
