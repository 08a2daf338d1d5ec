import { advice, fix, type Fix } from '#core/messages/fixes.ts';

/** The fixes for an unknown model whose name has a slash, as those of OpenRouter have. */
export function slashNameFixes(openrouter: 'configured' | 'not_configured'): readonly Fix[] {
  return [
    advice('Names with a slash are mostly those of OpenRouter.'),
    openrouter === 'configured'
      ? fix('refresh_models')
      : fix('add_key', { provider: 'openrouter' }),
  ];
}
