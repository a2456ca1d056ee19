// Greetings, thanks and the like, by language.
import type { QuestionLanguage } from './question-language.ts'

export interface Phrases {
  greetings: string
  /** Said after help, also behind a question. */
  thanks: string
  /** Behind or before a question only. */
  please: string
}

/** Folded phrases, divided by `|`. One that two languages have belongs to the first of them. */
export const phrases: Record<QuestionLanguage, Phrases> = {
  en: {
    greetings: 'hi|hello|hey|good morning|good afternoon|good evening|good day|greetings',
    thanks:
      'thanks|thank you|thx|thank you very much|thank you so much|thanks a lot|thanks so much|many thanks|cheers|thanks in advance|thank you in advance|thanks a million',
    please: 'please',
  },
  de: {
    greetings: 'hallo|guten tag|guten morgen|guten abend|servus|moin|hallo zusammen',
    thanks:
      'danke|danke schon|dankeschon|vielen dank|danke sehr|herzlichen dank|besten dank|danke im voraus|vielen dank im voraus',
    please: 'bitte',
  },
  fr: {
    greetings: 'bonjour|bonsoir|salut|coucou|bonjour a tous',
    thanks: "merci|merci beaucoup|merci bien|mille mercis|merci d'avance|merci par avance",
    please: "s'il vous plait|s'il te plait|svp|stp",
  },
  es: {
    greetings: 'hola|buenos dias|buenas tardes|buenas noches|buenas|saludos',
    thanks: 'gracias|muchas gracias|mil gracias|gracias de antemano|muchas gracias de antemano',
    please: 'por favor',
  },
  it: {
    greetings: 'ciao|buongiorno|buon giorno|buonasera|salve|buon pomeriggio',
    thanks: 'grazie|grazie mille|molte grazie|grazie tante|grazie in anticipo',
    please: 'per favore|per piacere',
  },
  pt: {
    greetings: 'ola|oi|bom dia|boa tarde|boa noite',
    thanks: 'obrigado|obrigada|muito obrigado|muito obrigada|obrigado desde ja|obrigada desde ja',
    please: 'por gentileza|se faz favor',
  },
  nl: {
    greetings: 'hoi|goedemorgen|goedemiddag|goedenavond|goedendag|dag allemaal',
    thanks:
      'dank je|dank u|dank je wel|dank u wel|dankjewel|bedankt|hartelijk dank|hartelijk bedankt|alvast bedankt',
    please: 'alsjeblieft|alstublieft|aub',
  },
  ja: {
    greetings: 'こんにちは|こんばんは|おはよう|おはようございます|はじめまして',
    thanks:
      'ありがとう|ありがとうございます|ありがとうございました|どうもありがとう|どうもありがとうございます|感謝します',
    please: 'お願いします|よろしくお願いします|教えてください',
  },
  zh: {
    greetings: '你好|您好|大家好|嗨|早上好|晚上好|下午好|你们好',
    thanks: '谢谢|谢谢你|谢谢您|多谢|非常感谢|感谢|谢谢了|太感谢了|謝謝',
    please: '请|拜托',
  },
}
/** They go with a courtesy in any language, and ask for nothing either. */
export const besides = {
  greetings: 'there|all|everyone|team',
  thanks:
    'a lot|so much|very much|great|perfect|awesome|nice|cool|ok|okay|got it|bye|goodbye|ty|super|prima|parfait|perfecto|perfetto|perfeito|top',
}
