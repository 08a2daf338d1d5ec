import * as z from 'zod';
import type { WorkflowDefinition } from '../definition.ts';
import { quoteListSentence, reportFrom, quoteSentence } from './brief.ts';
import { listField, severityFilterField, textField } from './fields.ts';
import { SECAUDIT_PROMPT } from './secaudit.prompt.ts';
import { END, stageOf, type Stages } from './stage.ts';

const FOCI = ['owasp', 'compliance', 'infrastructure', 'dependencies', 'comprehensive'] as const;
const LEVELS = ['low', 'medium', 'high', 'critical'] as const;

const FIELDS = {
  security_scope: textField.optional().describe('What it is and who uses it.'),
  threat_level: z.enum(LEVELS).default('medium'),
  compliance_requirements: listField.optional().describe('GDPR, PCI DSS, …'),
  audit_focus: z.enum(FOCI).default('comprehensive'),
  severity_filter: severityFilterField,
};

const LOOK: Readonly<Record<(typeof FOCI)[number], string>> = {
  owasp:
    'Go through the OWASP Top 10 class by class, and note for each where the code could be open to it, or that it is not concerned.',
  compliance:
    'List the personal, payment and health data that is handled, and for each where it is stored, sent, logged and deleted.',
  infrastructure:
    'Read container files, deployment, CI and network settings for open ports, rights, defaults and secrets in plain text.',
  dependencies:
    'Read manifests and lock files: what is unpinned, unmaintained, fetched while building, or known to be broken in the version used.',
  comprehensive:
    'List every way in from outside: routes, messages, files, arguments, environment, scheduled work, and who may use it.',
};

const BRIEF: Readonly<Record<(typeof FOCI)[number], readonly string[]>> = {
  owasp: [
    'Order the findings by the classes of the OWASP Top 10, and name the classes that are not concerned.',
  ],
  compliance: [
    'This is about keeping rules: name for each finding the requirement that is not met.',
  ],
  infrastructure: [
    'This is about what the code runs in: deployment, network, rights, settings and secrets.',
  ],
  dependencies: [
    'This is about what the code is made of: packages, their versions, their origin and the build.',
  ],
  comprehensive: [],
};

const THREAT: Readonly<Record<(typeof LEVELS)[number], readonly string[]>> = {
  low: [
    'The threat level is low: few, known users. Report what these could do by mistake or spite.',
  ],
  medium: [],
  high: ['The threat level is high: expect skilled attackers with their own accounts and time.'],
  critical: [
    'The threat level is critical: expect funded attackers, insiders and broken suppliers, and look for chains of small faults.',
  ],
};

const ACTIONS: Stages = {
  first: [
    'Find where identity is established and where rights are checked, and look for ways in that come past both.',
    'Search for the places where strings become queries, commands, paths, pages or objects.',
    'Search for secrets in code, settings and logs; name the place in findings, never the secret.',
    'List what you opened in files_checked, and what matters in relevant_files.',
  ],
  middle: [
    'Take each suspicion, and walk the path from entry to effect; note every check on the way and whether it holds.',
    'Change roles: what can another user, an expired session, a replayed or a parallel request do here?',
    'Look at sizes, counts and times that a caller decides, and at what limits them.',
    'Give each proven path its severity, both ends with file and line, and a fix at the root in issues_found.',
  ],
  last: [
    'Try to refute each entry of issues_found: is there a check elsewhere that stops it?',
    'Search the code for further places of the same kind as the worst ones found.',
    'Name what was not examined, so that it is not assumed to be safe.',
    END,
  ],
};

export const secaudit: WorkflowDefinition<typeof FIELDS> = {
  name: 'secaudit',
  title: 'Security audit',
  description:
    'Audit the security of code and its configuration step by step, then have an expert model verify the findings. For OWASP classes, compliance, infrastructure and dependencies.',
  profile: 'full',
  category: 'extended_reasoning',
  stem: 'security_audit',
  fields: FIELDS,
  skipped: 'skipped_due_to_certain_audit_confidence',
  ready: 'security_audit_complete_ready_for_implementation',
  expert: 'asked',
  prompt: SECAUDIT_PROMPT,
  actions(view) {
    const stage = stageOf(view);
    return stage === 'first' ? [LOOK[view.args.audit_focus], ...ACTIONS.first] : ACTIONS[stage];
  },
  brief: (args) => [
    ...quoteSentence('What is audited, as the caller tells it', args.security_scope),
    ...THREAT[args.threat_level],
    ...quoteListSentence('These requirements apply', args.compliance_requirements),
    ...BRIEF[args.audit_focus],
    ...reportFrom(args.severity_filter),
  ],
};
