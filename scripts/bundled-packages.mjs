// What a bundle needs for the packages inside it: a `require` for CommonJS packages, and their
// licences.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Gives an ES module bundle a `require`, with which bundled CommonJS packages load built-ins. It is
 * made when it is called: making one in each chunk would slow every start.
 */
export const REQUIRE_BANNER =
  "import { createRequire as createBundleRequire } from 'node:module'; const require = (name) => createBundleRequire(import.meta.url)(name);";

const LICENSE_FILE = /^(?:un)?licen[cs]e|^copying|^notice/i;
const CODE_FILE = /\.(?:[cm]?[jt]sx?|json|map)$/i;

/**
 * The licences of the packages among a bundle's inputs, which have to be distributed with it.
 * Inputs are paths from `root`.
 */
export function licenseTexts(root, inputs) {
  const folders = inputs.map(
    (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0],
  );
  return [...new Set(folders.filter(Boolean))]
    .map((folder) => licenseOf(join(root, folder)))
    .join('\n\n');
}

function licenseOf(folder) {
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder, { withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && LICENSE_FILE.test(entry.name) && !CODE_FILE.test(entry.name),
    )
    .map(({ name }) => name)
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const text = files.length > 0 ? files.join('\n\n') : statedLicense(about);
  if (text === undefined) throw new Error(`${about.name} states no licence and cannot be bundled.`);
  return `${about.name}\n\n${text}`;
}

/** Of package.json: `license`, or one of the forms that older packages have. */
function statedLicense({ license, licenses, author }) {
  const stated = [license ?? licenses ?? []].flat();
  const names = stated.map((each) => each.type ?? each).filter((name) => typeof name === 'string');
  if (names.length === 0) return undefined;
  const holder = typeof author === 'object' ? author?.name : author;
  return `License: ${names.join(' OR ')}${holder ? `\nAuthor: ${holder}` : ''}\n`;
}
