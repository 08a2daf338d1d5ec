import { SETTINGS } from '#config/schema/settings.ts';

/** A shim tells this one as it is: it is its client's, and need not be the daemon's. */
const CLIENTS_OWN = 'MAX_MCP_OUTPUT_TOKENS';

/**
 * src/client/setting-names.ts: the names of all variables, for a program that has no time to load
 * the schema.
 */
export function settingNamesModule(): string {
  const names = SETTINGS.flatMap(({ variables }) => variables.map(({ name }) => name)).filter(
    (name) => name !== CLIENTS_OWN,
  );
  const lines = [...new Set(names)].sort().map((name) => `  '${name}',`);
  return `// Made from the schema of the configuration by \`npm run generate\`.

/** Every variable that sets something, but EXAI_HOME, which says where the settings are. */
export const SETTING_NAMES: readonly string[] = [
${lines.join('\n')}
];
`;
}
