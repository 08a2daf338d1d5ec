/**
 * Words that users search for and that no description has, by the name of the tool. They cost no
 * tokens, because no list of tools contains them.
 */
export const KEYWORDS: Readonly<Partial<Record<string, string>>> = {
  secaudit:
    'vulnerability vulnerabilities vulnerable security hole exploit attack injection xss csrf cve hack pentest threat leak secret',
  codereview: 'bug mistake quality pull request PR feedback',
  debug: 'crash exception stack trace failing broken error root cause',
  precommit: 'git staged diff changes',
  testgen: 'unit test coverage edge case',
  docgen: 'docstring comment documentation javadoc',
  refactor: 'clean up simplify duplicate smell technical debt',
  tracer: 'who calls this function call graph control flow dependency caller',
  consensus: 'second opinion vote compare models debate',
  planner: 'roadmap milestone break down task',
  apilookup: 'library framework documentation version release',
  health: 'healthy alive working running',
  challenge: 'disagree critical doubt pushback',
};
