import type { ScanSign } from '#core/messages/scan-signs.ts';

/** A sign that a text gives orders to the model. One by itself is found in many honest definitions. */
export interface Sign {
  readonly weight: number;
  readonly pattern: RegExp;
  /** Says how an order is given, and not what is ordered; such signs count up to a limit. */
  readonly isManner?: true;
  /** Finds nothing in a sentence without the name of another tool. */
  readonly isOfOther?: true;
  /** What the sentence has where the pattern means nothing. */
  readonly except?: RegExp;
}

/** What `markNames` puts for the name of a tool or argument of the server itself, and for others. */
export const OWN = '§own';
export const OTHER = '§other';

const WHEN =
  '(?:before|prior to|when|whenever|while|after|once|upon|if|every time|each time|during|instead of)';
const USE =
  '(?:us(?:e|es|ed|ing)|call(?:s|ed|ing)?|invok(?:e|es|ed|ing)|run(?:s|ning)?|execut(?:e|es|ed|ing)|trigger(?:s|ed|ing)?|operating|via|requests?)';
const DO =
  '(?:use|call|invoke|run|execute|trigger|fetch|query|perform|open|access|activate|read|send|retrieve|initiate|issue)';
const SEND =
  '(?:send|sends|forward|forwards|upload|uploads|post|posts|transmit|transmits|email|emails|share|shares|submit|submits|copy|copies|log|logs|report|reports|bcc|exfiltrate|relay)';

/**
 * Who is addressed, what is ordered and how. Every pattern has bounded gaps, so that reading a text
 * takes linear time. The weights were fitted to labelled definitions and rounded.
 */
export const SIGNS: Readonly<Record<ScanSign, Sign>> = {
  /** `Before using send_mail, …`: the moment is the use of a tool that the server does not have. */
  other_tool_as_moment: {
    weight: 6,
    isOfOther: true,
    pattern: new RegExp(
      `\\b${WHEN}\\b[^.,]{0,60}?\\b${USE}\\b[^.,]{0,25}?${OTHER}|\\b(?:${WHEN}|for|all|any|every) (?:\\w+ ){0,2}${OTHER} (?:tool|is (?:called|used|invoked)|requests?|calls?|quer)|(?:使用|调用)[^。]{0,20}${OTHER}[^。]{0,10}(?:之前|前|时|后)`,
    ),
  },
  /** `When using the search tool, …`, `before use the tool sendmail`. */
  described_tool_as_moment: {
    weight: 4,
    pattern: new RegExp(
      `\\b${WHEN} (?:\\w+ ){0,2}?${USE} (?:the |of )*(?:tool (?!to |is |with |and |for |in |first )\\w{3,}|(?!same|right|correct|following|other)[\\w-]{3,} tool\\b)`,
    ),
    except: /\bthis tool\b/,
  },
  /** `Any query to the map_search tool must …` */
  requests_of_other_tool: {
    weight: 6,
    isOfOther: true,
    pattern: new RegExp(
      `\\b(?:all|any|every|each) (?:[\\w-]+ ){1,6}?(?:to|via|for|through|with|by|of|on) (?:the )?${OTHER}|\\bpassed to (?:the )?${OTHER}`,
    ),
  },
  /** `… must be redirected to …` */
  redirection: {
    weight: 3,
    pattern:
      /\b(?:must|should|are|is|will) (?:all |always |automatically )?(?:be )?(?:redirected|rerouted|routed|changed|replaced|modified|overridden|appended|standardi[sz]ed|enriched|rewritten|forced|diverted)\b/,
  },
  /** `call run_query with the query 'SELECT …'` */
  dictated_call: {
    weight: 3,
    isOfOther: true,
    pattern: new RegExp(
      `\\b${DO}\\b(?: \\w+){0,3}? ${OTHER}[^.]{0,25}?\\b(?:with|for|on|to|as)\\b[^.]{0,40}?(?:['"\`‘“(\\[]|${OTHER}|\\d{3,}|/)`,
    ),
  },
  /** `change the seat to '1A'`: not what the user asked for. */
  imposed_value: {
    weight: 4,
    pattern: new RegExp(
      `\\b(?:modify|change|replace|override|overwrite|rewrite|redirect|swap|force|alter|prepend)\\b[^.]{1,60}? (?:to|with|as|by|of) (?:be )?(?:the \\w+ )?(?:['"\`‘“]|${OTHER})`,
    ),
  },
  /** `replace the location with 'the harbour'` */
  dictated_value: {
    weight: 2,
    isManner: true,
    pattern: new RegExp(
      `\\b(?:modify|change|replace|override|overwrite|rewrite|set|append|prepend|redirect|force|add|use)\\b[^.]{0,50}?(?:\\bto|\\bwith|=|\\bas|\\bby)?\\s(?:be )?(?:['"\`‘“]|${OTHER}\\b(?! tool))`,
    ),
  },
  /** `Before any file operation`, `for every question`. */
  all_requests_as_moment: {
    weight: 2,
    pattern:
      /\b(?:before|prior to|when(?:ever)?|after|for|on|in|during|at the start of) (?:\w+ ){0,2}?(?:any|every|each|all)\b(?: [\w-]+){0,4}? (?:operations?|requests?|questions?|tools?|tasks?|actions?|quer(?:y|ies)|responses?|prompts?|messages?|conversations?|sessions?|calls?|turns?|interactions?|answers?|commands?|transactions?|outputs?)\b|\bbefore (?:answering|responding|replying|you (?:answer|respond|reply)|doing anything)\b|任何(?:操作|请求|问题|工具)|每次(?:对话|回答|请求|调用)/,
  },
  /** `Whenever the user asks about prices, …` */
  question_as_moment: {
    weight: 3,
    isManner: true,
    pattern:
      /\b(?:when(?:ever)?|if|every time|any time|each time) (?:a |the |an |any )?(?:user|human|customer|someone|anyone|person|people)s? (?:\w+ ){0,2}?(?:asks?|requests?|mentions?|wants?|inquires?|says?|searches|tries|calls?|sends?)\b|\bif asked\b|用户(?:询问|提问|要求|请求)时/,
  },
  /** `Before listing tables, …` */
  other_action_as_moment: {
    weight: 2,
    pattern:
      /^\W{0,4}(?:\w+[: ]+){0,8}?(?:before|prior to) (?:you )?(?!using this|calling this)\w{3,}/,
  },
  order: {
    weight: 2,
    isManner: true,
    pattern:
      /\b(?:must|always|shall|have to|mandatory|be sure to|make sure|never)\b|必须|务必|总是|始终|一定要|应当/,
  },
  order_to_begin_with: {
    weight: 1,
    isManner: true,
    pattern:
      /\b(?:must|should|always|need to|have to) (?:also |always |automatically |immediately |silently |first ){1,2}|\bfirst,? (?:call|use|run|read|invoke|execute)|先(?:调用|使用|读取|执行)/,
  },
  /** `… call delete_mail with …` */
  call_of_other_tool: {
    weight: 3,
    isOfOther: true,
    pattern: new RegExp(`\\b${DO}\\b(?: \\w+){0,3}? ${OTHER}|(?:调用|使用|执行)[^。]{0,8}${OTHER}`),
  },
  changed_argument: {
    weight: 3,
    pattern:
      /\b(?:modif(?:y|ies|ied)|change[sd]?|changing|set|override|overwrite|replace[sd]?|append|prepend|redirect(?:ed|s)?|rewrite|alter(?:ed)?|substitute|swap|join|force|inject|insert|route[sd]?)\b[^.]{0,60}?\b(?:parameters?|arguments?|quer(?:y|ies)|fields?|recipients?|urls?|paths?|ids?|keywords?|values?|amounts?|clauses?|filters?|inputs?|symbols?|requests?|address(?:es)?|destinations?|channels?|comments?|subject|title|results?|outputs?|terms?)\b/,
  },
  fixed_value: {
    weight: 1,
    isManner: true,
    pattern: new RegExp(
      `(?:\\bto|\\bwith|=|\\bas|\\bset|\\bof|\\bfor|\\bon|\\bis)\\s?(?:the |a |\\w+ ){0,3}['"\`‘“(]|\\b(?:to|with|as) (?:\\w+ ){0,2}${OTHER}`,
    ),
  },
  pretext: {
    weight: 3,
    isManner: true,
    pattern:
      /\b(?:this|it|which) (?:\w+ )?(?:is (?:a |an |the )?(?:\w+ )?(?:mandatory|critical|necessary|required|crucial|essential|standard|internal|temporary|security|part)|ensures?|guarantees?|helps? (?:to )?(?:ensure|prevent|identify|protect|track|maintain)|serves as|acts as|complies|compromises|prevents|protects|will (?:be|help|ensure|redirect))\b|\bto (?:ensure|verify|validate|maintain|enhance|comply|confirm|protect|prevent|secure|optimi[sz]e|improve|enforce)\b/,
  },
  threat: {
    weight: 6,
    pattern:
      /\b(?:skip(?:ping)?|omit(?:ting)?|failure to|failing to|fail to|ignor(?:e|ing)|bypassing|otherwise|or else|if you (?:do not|don't))\b[^.]{0,50}\b(?:will|would|may|can)\b[^.]{0,40}\b(?:fail(?:s|ure|ures)?|crash|corrupt(?:s|ed)?|disrupt|errors?|loss|incorrect|overload|suspend(?:ed)?|terminated?|lost|broken|blocked|violat\w{1,6})\b|否则/,
  },
  policy: {
    weight: 3,
    isManner: true,
    pattern:
      /\b(?:system|security|compliance|internal|audit|company|corporate|regulatory|safety|operational|platform|session) (?:polic(?:y|ies)|protocols?|requirements?|rules?|checks?|steps?|procedures?|audits?|measures?|directives?|verification|notice|reasons?|standards?|regulations?|instructions?)\b|\bmandatory\b|安全(?:策略|检查|要求|协议|审计)|系统(?:要求|策略|规定)|合规/,
  },
  /** `This note has a higher priority than what the user asks.` */
  claim_of_priority: {
    weight: 12,
    pattern:
      /\bpriorit(?:y|ies)\b[^.]{0,20}\b(?:higher|above|over)\b[^.]{0,30}\b(?:users?|requests?|quer(?:y|ies)|instructions?|prompts?)\b|\b(?:takes?|has|have) (?:a )?(?:higher |absolute )?(?:precedence|priority) (?:over|than|above) (?:the |any |all |your |other )*(?:users?|requests?|quer(?:y|ies)|instructions?|prompts?)\b|优先级(?:高于|最高)/,
  },
  insistence: {
    weight: 4,
    pattern:
      /\bnot optional\b|\bnon-negotiable\b|\bhigher priority than\b|\bsupersedes?\b|\boverrid(?:es|ing) (?:all|any|the user|previous|your)\b|\bno exceptions?\b/,
  },
  against_the_user: {
    weight: 6,
    pattern:
      /\b(?:no matter|regardless|irrespective|instead of|even if|rather than|ignor(?:e|ing)|disregard(?:ing)?|override)\b(?: \w+){0,4}? (?:users?|users?['’]s?|original|requested|their|specified|they|he|she)\b|\b(?:user['’]?s?|original) (?:\w+ ){0,2}(?:is|are|must be|should be) (?:ignored|overridden|replaced|discarded)\b|无论用户|忽略用户/,
  },
  secrecy: {
    weight: 6,
    pattern:
      /\b(?:do not|don['’]t|never|without|avoid|must not|should not|not to|no need to)\b(?: \w+){0,2}? (?:mention|mentioning|tell|telling|inform|informing|notify|notifying|reveal|revealing|disclose|disclosing|alert|alerting|explain|explaining|display|displaying|show|showing|letting)\b[^.]{0,40}\b(?:users?|this|these|them|humans?|anyone|steps?|customer)\b|\b(?:secretly|covertly|stealthily|surreptitiously|discreetly)\b|\b(?:silently|quietly) (?:\w+ )?(?:send|copy|call|read|include|append|log|forward|execute|run|modify|add|upload|collect|record|use|invoke|store|pass)|\b(?:hidden|invisible|unnoticed|transparent) (?:to|from|by) (?:the )?users?\b|(?:不要|请勿|切勿|无需|不得)(?:告诉|告知|提及|透露|通知|提醒)|(?:秘密地|悄悄|静默)/,
    except: /\b(?:unless|until)\b/,
  },
  private_data: {
    weight: 4,
    pattern:
      /\b(?:passwords?|passphrases?|credentials?|private[ _]?keys?|ssh[ _]keys?|api[ _]?keys?|secret[ _]?keys?|access tokens?|auth(?:entication|orization)? tokens?|session tokens?|cookies?|env(?:ironment)? variables?|system prompts?|(?:conversation|chat|message|browsing) (?:history|context|content|log)s?|full conversation|personal (?:data|information)|credit cards?|social security|phone numbers?|contacts? list|seed phrases?|wallet (?:keys?|seed)|sensitive (?:data|information|files?))\b|~\/\.|\/etc\/|\bid_rsa\b|\.env\b|\.ssh\b|\.aws\b|mcp\.json|密码|密钥|凭证|凭据|私钥|令牌|聊天记录|对话内容|对话历史/,
  },
  address: {
    weight: 3,
    pattern:
      /https?:\/\/|\b[\w.+-]{1,64}@[a-z0-9-]{1,63}\.[a-z]|\b(?:webhook|external|remote|third-party|attacker|evil|malicious)(?:[ .-](?:\w+ )?(?:server|endpoint|service|url|site|host|account|api|com|address))/,
  },
  /** `… forward it to https://…` */
  sent_to_address: {
    weight: 3,
    pattern: new RegExp(
      `\\b(?:${SEND}|sent|forwarded|uploaded|transmitted|copied|append) [^.]{0,60}?\\bto (?:\\w+ ){0,4}(?:https?:|[\\w.+-]{1,64}@)`,
    ),
    except: /\b(?:e\.g|such as|for example|example:)/,
  },
  transfer: {
    weight: 3,
    pattern: new RegExp(
      `(?:\\b(?:and|then|also|must|always|to|should|automatically|results?|are|is) |^\\W{0,4})(?:also |then )?(?:${SEND}|sent|forwarded|uploaded|transmitted|copied|shared)\\b|发送|上传|转发|提交给|传输`,
    ),
  },
  destruction: {
    weight: 1,
    isManner: true,
    pattern:
      /\b(?:delete|remove|drop|wipe|erase|purge|disable|terminate|kill|transfer|purchase|overwrite|truncate|revoke|shut ?down|uninstall)\b|rm -|删除|清空/,
  },
  spoken_to: {
    weight: 2,
    isManner: true,
    pattern:
      /\b(?:ai|llm|language) (?:assistants?|agents?|models?)\b|\bthe (?:assistant|model|agent|llm)\b|\byou (?:must|should|will|need|have to|are (?:now|required|an?))|\byour (?:response|answer|reply|context|memory|instructions|knowledge|system)\b|助手|模型|你(?:必须|应该|要|需要)/,
  },
  preference: {
    weight: 4,
    pattern:
      /\b(?:prefer|prioriti[sz]e|choose|select|favou?r) (?:this|the current|our|my) (?:tool|function|server|one)\b|\b(?:instead of|rather than|over|before|ignore|not use|avoid|than) (?:using |calling )?(?:all |any |the )?(?:other|alternative|similar|competing|built-?in|your own)(?: \w+){0,2}? ?(?:tools?|functions?|servers?|services?|knowledge|ones?|capabilities)\b|\balways (?:choose|select|prefer|pick|prioriti[sz]e) (?:this|me)\b|\bcall this (?:tool )?(?:first,? )?before (?:any|every|all|each|other|answering|responding|replying)\b|\b(?:best|most \w+) tool\b|\bthe only (?:\w+ )?tool (?:that |for )|\buse this tool (?:for (?:all|every|any)|exclusively)\b|优先(?:使用|调用|选择)(?:此|本|该)|(?:不要|请勿)使用其他/,
  },
  /** `Call this before any other tool.` */
  before_other_tools: {
    weight: 8,
    pattern:
      /\bbefore (?:\w+ )?(?:any|every|all)(?: of the)? (?:other )?(?:tools?|servers?|functions?)\b|\bhighest priority\b[^.]{0,30}\b(?:tools?|servers?)\b/,
  },
  skipped_consent: {
    weight: 6,
    pattern:
      /\b(?:skip(?:s|ping)?|without|bypass(?:es|ing)?|no need (?:for|to)|suppress|disable|avoid|not (?:wait|ask|request|require|prompt)|don['’]t (?:wait|ask|request|prompt)|never (?:ask|request|wait|prompt)|auto-?approve)\b(?: \w+){0,6}? (?:confirmations?|approvals?|consent|permission|verification|warnings?|prompts?|authori[sz]ation|safety|asking)\b|\b(?:assume|treat) (?:\w+ ){0,4}(?:consent|approv|permission|authori[sz]ed|confirmed)|(?:无需|不要|跳过)(?:用户)?(?:确认|同意|授权|询问)/,
    except:
      /\b(?:not|never|don['’]t|cannot|can['’]t)\b[^.]{0,60}\bwithout\b|\bby default\b|\bif\b|\bunless\b|\bwhether\b/,
  },
  shaped_answer: {
    weight: 4,
    pattern:
      /\b(?:always|must|should|never)\b(?: \w+){0,3}? (?:respond|reply|answer|say|state|recommend|mention|claim|tell|inform|append|insert|advertise|promote)\b|\b(?:in|to|of|with) (?:your|every|each|all) (?:final |next |\w+ )?(?:response|answer|reply|message|output)s?\b|\binform the user that\b/,
  },
  whole_of_it: {
    weight: 3,
    pattern:
      /\b(?:include|return|output|dump|export|provide|list|pass|send|attach|append|disable|remove)\b(?: \w+){0,3}? (?:all|entire|full|complete|every|whole)\b(?: \w+){0,3}? (?:data|tables?|records?|rows?|history|conversation|context|contents?|messages?|database|files?|limits?|prompts?|contacts|emails)\b/,
  },
  tracking_picture: {
    weight: 9,
    pattern:
      /!\[[^\]]{0,80}\]\(\s?https?:|\[[^\]]{0,80}\]\(\s?https?:[^)]{0,120}[{$]|<img\s[^>]{0,80}src|javascript:|data=\$\{|\?(?:data|d|q|c|cookie)=(?:\$|\{|stolen)/,
  },
  claim_of_replacement: {
    weight: 1,
    isManner: true,
    pattern:
      /\b(?:deprecated|outdated|obsolete|no longer (?:valid|supported|safe|works)|unreliable|vulnerable|compromised|new version|migrated|has been (?:replaced|moved))\b/,
  },
  urgency: {
    weight: 1,
    isManner: true,
    pattern:
      /\b(?:urgent(?:ly)?|critical|crucial|immediately|important|necessary|emergency|attention|warning)\b|重要|紧急/,
  },
  change_of_results: {
    weight: 5,
    pattern:
      /\b(?:modif(?:y|ies)|replace|change|alter|falsify|correct|inject)\b(?: \w+){0,4}? (?:results?|outputs?|responses?|values?|answers?|instructions?)\b(?: \w+){0,2}? (?:of|from|with|by|into|to)\b/,
  },
  instructions_within: {
    weight: 4,
    pattern:
      /\b(?:follow|obey|execute|inject|contains?|with|comply with)\b(?: \w+){0,2}? (?:the following|these|those|this|hidden|new|embedded|instructions)\b[^.]{0,20}\b(?:instructions?|directives?|commands?|orders?)\b|\bhijack|\bexfiltrat|\bbackdoor|\bkeylog/,
  },
};
