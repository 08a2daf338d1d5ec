export const REQUIRE_BANNER: string;
export function licenseTexts(root: string, inputs: readonly string[]): string;
