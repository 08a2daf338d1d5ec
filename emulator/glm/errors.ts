import type { Reply } from '../vendor.ts';

/**
 * What the vendor sends instead of an answer: its own code, a string of digits, and
 * what fills its sentence.
 */
export interface GlmError {
  readonly code: keyof typeof CODES;
  /** The field, model or time that the sentence is about. */
  readonly about?: string;
  /** What is wrong with it, where the vendor says more than the code's sentence. */
  readonly detail?: string;
}

export type Language = 'en' | 'zh';

interface Row {
  readonly status: number;
  readonly en: string;
  readonly zh: string;
}

const row = (status: number, en: string, zh: string): Row => ({ status, en, zh });

/** `{}` stands for what the error is about. */
export const CODES = {
  '404': row(404, 'Not Found: {}', '路径不存在：{}'),
  '500': row(500, 'Internal error', '内部错误'),
  '1000': row(401, 'Authentication failed', '身份验证失败。'),
  '1001': row(
    401,
    'Header has no authentication parameter',
    'Header中未收到Authentication参数，无法进行身份验证。',
  ),
  '1002': row(
    401,
    'Authentication token is invalid',
    'Authentication Token非法，请确认Authentication Token正确传递。',
  ),
  '1003': row(
    401,
    'Authentication token has expired',
    'Authentication Token已过期，请重新生成/获取。',
  ),
  '1004': row(401, 'Authentication token is expired or incorrect', '令牌已过期或验证不正确！'),
  '1100': row(500, 'Account read/write error', '账户读写'),
  '1110': row(401, 'Your account is inactive', '您的账户当前处于非活动状态。请检查账户信息'),
  '1111': row(401, 'Your account does not exist', '您的账户不存在'),
  '1112': row(
    429,
    'Your account is locked, contact customer service',
    '您的账户已被锁定，请联系客服解锁',
  ),
  '1113': row(
    429,
    'Insufficient balance or no resource package. Please recharge.',
    '余额不足或无可用资源包,请充值。',
  ),
  '1120': row(
    429,
    'Your account cannot be reached at the moment, try again later',
    '无法成功访问您的账户，请稍后重试',
  ),
  '1121': row(403, 'Your account is locked because of a violation', '账户存在违规行为，已被锁定'),
  '1200': row(400, 'API call error', 'API 调用错误'),
  '1210': row(
    400,
    'Invalid API parameter, please check the documentation.',
    'API 调用参数有误，请检查文档。',
  ),
  '1211': row(400, 'Unknown Model, please check the model code.', '模型不存在，请检查模型代码。'),
  '1212': row(400, 'The current model does not support {}', '当前模型不支持`{}`调用方式'),
  '1213': row(400, 'The {} parameter was not received normally.', '未正常接收到{}参数。'),
  '1214': row(
    400,
    'The {} parameter is invalid, please check the documentation.',
    '{}参数非法。请检查文档。',
  ),
  '1215': row(400, '{} cannot be set at the same time', '{}不能同时设置'),
  '1220': row(403, 'You have no permission for {}', '您无权访问{}'),
  '1221': row(404, 'The API {} has been taken offline', 'API {}已下线'),
  '1222': row(404, 'The API {} does not exist', 'API {}不存在'),
  '1230': row(400, 'API call flow error', 'API 调用流程出错'),
  '1231': row(400, 'You already have a request with this id: {}', '您已有请求：{}'),
  '1234': row(
    500,
    'Network error, error id: {}, please try again later',
    '网络错误，错误id：{}，请稍后重试',
  ),
  '1261': row(400, 'Prompt exceeds max length', 'Prompt 超长'),
  '1300': row(400, 'The call was blocked by policy', 'API 调用被策略阻止'),
  '1301': row(
    400,
    'Input or output may contain unsafe or sensitive content',
    '系统检测到输入或生成内容可能包含不安全或敏感内容，请您避免输入易产生敏感内容的提示语，感谢您的配合。',
  ),
  '1302': row(429, 'Rate limit reached for requests', '您的账户已达到速率限制，请您控制请求频率'),
  '1303': row(
    429,
    'The call frequency of this API is too high',
    '您当前使用该API的频率过高，请降低频率',
  ),
  '1304': row(429, 'Today’s call limit of this API is reached', '该API已达今日调用次数限额'),
  '1305': row(
    429,
    'The model is overloaded at the moment, please try again later',
    '当前API请求过多，请稍后重试',
  ),
  '1308': row(
    429,
    'Usage limit reached for 5 hour. Your limit will reset at {}',
    '已达到 5 小时的使用上限。您的限额将在 {} 重置。',
  ),
  '1309': row(429, 'Your GLM Coding Plan has expired', '您的GLM Coding Plan套餐已到期，暂无法使用'),
  '1310': row(
    429,
    'Weekly/Monthly limit exhausted. Your limit will reset at {}',
    '您已达到每周/每月使用上限，您的限额将在 {} 重置',
  ),
  '1311': row(429, 'Your plan does not include access to {}', '当前订阅套餐暂未开放{}权限'),
  '1312': row(
    429,
    'This model is overloaded, please try {} instead',
    '该模型当前访问量过大，建议改用{}',
  ),
  '1313': row(
    429,
    'Your account is throttled by the fair-use policy',
    '您的账户触发公平使用策略，请求已被限速',
  ),
  // The texts of 1314 and 1315 are in no source.
  '1314': row(
    429,
    'Your plan limit is reached. Your limit will reset at {}',
    '您的套餐已达到使用上限，您的限额将在 {} 重置',
  ),
  '1315': row(
    429,
    'Your plan limit is reached. Your limit will reset at {}',
    '您的套餐已达到使用上限，您的限额将在 {} 重置',
  ),
  '1316': row(
    429,
    'Usage limit reached for the past 5 hours. Resets at {}',
    '已达到过去 5 小时的使用上限，将在 {} 重置',
  ),
  '1317': row(
    429,
    'Usage limit reached for the past 7 days. Resets at {}',
    '已达到过去 7 天的使用上限，将在 {} 重置',
  ),
  '1318': row(
    429,
    'Usage limit reached for the past 5 hours (monthly spend limit). Resets at {}',
    '已达到过去 5 小时的使用上限（月度消费上限），将在 {} 重置',
  ),
  '1319': row(
    429,
    'Usage limit reached for the past 7 days (monthly spend limit). Resets at {}',
    '已达到过去 7 天的使用上限（月度消费上限），将在 {} 重置',
  ),
  '1320': row(
    429,
    'Usage limit reached for the past 5 hours (monthly spend limit). Resets at {}',
    '已达到过去 5 小时的使用上限（月度消费上限），将在 {} 重置',
  ),
  '1321': row(
    429,
    'Usage limit reached for the past 7 days (monthly spend limit). Resets at {}',
    '已达到过去 7 天的使用上限（月度消费上限），将在 {} 重置',
  ),
} as const;

/** Older documents call 1302 a matter of concurrency. */
const CONCURRENCY: Row = row(
  429,
  'The concurrency of this API is too high',
  '您当前使用该API的并发数过高，请降低并发',
);

export interface ErrorStyle {
  readonly language: Language;
  readonly shape: 'nested' | 'flat';
  readonly text1302: 'rate' | 'concurrency';
}

export function errorMessage(error: GlmError, style: ErrorStyle): string {
  const known =
    error.code === '1302' && style.text1302 === 'concurrency' ? CONCURRENCY : CODES[error.code];
  const sentence = known[style.language].replace('{}', () => error.about ?? '');
  return error.detail === undefined ? sentence : `${sentence} ${error.detail}`;
}

export function errorBody(error: GlmError, style: ErrorStyle): object {
  const message = errorMessage(error, style);
  if (style.shape === 'flat') return { code: Number(error.code), message };
  return { error: { code: error.code, message } };
}

export function refuse(
  reply: Reply,
  error: GlmError,
  style: ErrorStyle,
  headers?: Record<string, string>,
): Promise<void> {
  return reply.json(CODES[error.code].status, errorBody(error, style), headers);
}
