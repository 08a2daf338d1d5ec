/** Promises about Composio, whose tools appear as mcp__composio__…, and about its emulator. */
export const COMPOSIO_REQUIREMENTS = {
  'composio:sdk': "Composio's own SDK works against the emulator unchanged.",
} as const;
