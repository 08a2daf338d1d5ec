/** Promises about the page at `/`, the documentation, the package and the container image. */
export const PAGE_AND_PACKAGE_REQUIREMENTS = {
  'page:browser':
    'The page at / shows address, providers, last calls, cost and how to connect, without scripts, requests elsewhere or console errors, on small and large screens, light and dark.',
  'page:login':
    'A browser is logged in by a one-time code that is valid for a minute and is in no URL, and stays so until it logs out, is idle or the daemon stops.',
  'page:strangers':
    'Without a login the page says that EX-AI is running and nothing else; other pages can neither read it nor log out its user.',
  'page:escaping': 'No name, text or error of others becomes markup of the page.',
  'docs:links':
    'Every link of the documentation leads to a page and a heading that exist, every page is reached by a link, and its words are plain.',
  'docs:commands':
    'Every command block of the documentation that is marked runnable works as written.',
  'package:content':
    'The package has exactly the files that it needs, no source maps, at most 5 MB, and every file can be read by every user.',
  'package:npx': '`npx <tarball> ask …` works in an empty folder, for another user, too.',
  'package:emulate': '`exai emulate` is offered only where it can run.',
  'package:container':
    'Every step of the Dockerfile works in an empty folder as an ordinary user, and the container is healthy when the daemon is ready.',
  'package:light':
    'A production install has at most 60 packages and none of them runs an install script.',
  'package:rooms':
    'Every folder under src/ is a module known to the linter, and a forbidden import is refused.',
  'contributing:recipes':
    'A tool and a provider added by the recipes of CONTRIBUTING.md compile and work, with nothing else changed.',
  'package:generated': 'Every generated file is what its generator writes now.',
} as const;
