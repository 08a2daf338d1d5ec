import { MASK } from '#core/secret-names.ts';
import { maskAssignments } from './secret-assignments.ts';

// Every pattern starts at a literal or at the edge of a run of its own characters, so no text is scanned twice
// from many places: hostile input costs linear time.

const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;

const PREFIXED = new RegExp(
  `(?<![A-Za-z0-9])(?:${[
    // Our own: of the owner, and of clients
    'exai(?:-owner-|_)[A-Za-z0-9_-]{20,}',
    // OpenAI, Moonshot, OpenRouter, Anthropic; Stripe; Composio; Perplexity, Tavily, xAI
    '(?:sk-|[prs]k_(?:live|test)_|whsec_|ak_|pplx-|tvly-|xai-)[A-Za-z0-9_-]{8,}',
    // Logfire; GitHub, GitLab, npm, Hugging Face, Groq, Replicate, DigitalOcean
    'pylf_[A-Za-z0-9_]{10,}',
    '(?:gh[oprsu]_|github_pat_|npm_|hf_|gsk_|r8_|dop_v1_)[A-Za-z0-9_]{20,}',
    'glpat-[A-Za-z0-9_-]{20,}',
    // Google, Slack, AWS, SendGrid
    '(?:AIza|ya29\\.|GOCSPX-)[A-Za-z0-9_-]{20,}',
    '(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}',
    '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}',
    'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}',
    // Zhipu and Z.ai
    '[0-9A-Fa-f]{32}\\.[A-Za-z0-9]{16}(?![A-Za-z0-9])',
  ].join('|')})`,
  'g',
);

// Signed (three parts) and encrypted (five) alike.
const JSON_WEB_TOKEN =
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*){0,3}/g;

// Words that follow "bearer" in a sentence, where no token stands.
const BEARER =
  /(?<![A-Za-z0-9])(bearer[ \t:]{1,4})(?!(?:auth|authentication|authorization|credentials?|header|is|or|scheme|tokens?|was)(?![A-Za-z0-9._~+/=-]))[A-Za-z0-9._~+/=-]{4,}/gi;

const BASIC = /(?<![A-Za-z0-9])(basic[ \t:]{1,4})([A-Za-z0-9+/_-]{4,}={0,2})/gi;

// A password may hold a slash, though it should be written as %2F; digits up to a slash are a port.
const URL_PASSWORD =
  /(:\/\/[^\s/?#@:"'<>[\]]{0,256}:)(?:[^\s/?#"'<>]{1,512}|(?!\d{1,5}[/?#])[^\s"'<>]{1,128})@/g;

// Web services also take a token in place of the user's name; elsewhere, as in ssh://git@host, it is only a name.
const URL_TOKEN = /(https?:\/\/)[^\s/?#@:"'<>]{1,512}@/gi;

// `curl -u user:password`, with or without quotes. Two numbers are the ids of a user and a group.
const LOGIN_OPTION = String.raw`(?<![^\s"'\x60])(?:-u|--user|--proxy-user)[ \t=]{1,4}`;
const LOGIN = new RegExp(
  String.raw`(${LOGIN_OPTION}(?!\d{1,6}:\d{1,6}(?!\S))[^\s:"'\\]{1,256}:)[^\s"'\\]{1,512}`,
  'g',
);
const QUOTED_LOGIN = new RegExp(
  String.raw`(${LOGIN_OPTION}\\{0,7}["'][^:"'\\]{1,256}:)[^"'\\]{1,512}`,
  'g',
);

const SHORTEST = 8;

/** Hides what looks like a secret anywhere in a text. */
export function maskShapes(text: string): string {
  if (text.length < SHORTEST) return text;
  return maskAssignments(text.replace(PRIVATE_KEY, MASK))
    .replace(PREFIXED, MASK)
    .replace(JSON_WEB_TOKEN, MASK)
    .replace(BEARER, `$1${MASK}`)
    .replace(BASIC, maskBasic)
    .replace(URL_PASSWORD, `$1${MASK}@`)
    .replace(URL_TOKEN, `$1${MASK}@`)
    .replace(LOGIN, `$1${MASK}`)
    .replace(QUOTED_LOGIN, `$1${MASK}`);
}

/** "Basic authentication" is a phrase; credentials are base64 of `user:password`. */
function maskBasic(whole: string, scheme: string, encoded: string): string {
  return Buffer.from(encoded, 'base64').includes(':') ? scheme + MASK : whole;
}
