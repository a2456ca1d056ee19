// What Lectern says of its own accord in a chat, by the language of the question.
import { fold } from '../index/fold.ts'
import type { ChatSource } from '../store/chat.ts'
import { toTitleLink } from './titles.ts'

interface Replies {
  /** A refusal, and what leads to the nearest sections. */
  refused: string
  nearest: string
  /** Where nothing answers the question, but sections come near. */
  pointed: string
  /** Leads to further sections, after an answer. */
  seeAlso: string
  /** Where the answer failed and may succeed if asked again, where it will not, and where a provider held it back. */
  failed: string
  declined: string
  filtered: string
  /** Greetings and thanks, folded, divided by `|`, and what is said to them. */
  hello: string
  greeting: string
  thanks: string
  welcome: string
}

export const replies = {
  en: {
    refused: 'I found nothing about this in this documentation.',
    nearest: 'The sections nearest to your question:',
    pointed: 'I found no clear answer to this. These sections come nearest:',
    seeAlso: 'See also:',
    failed: 'The answer could not be written. Please try again.',
    declined: 'The answer could not be written.',
    filtered: 'The language model gave no answer to this.',
    hello: 'hi|hello|hey|hi there|hello there|good morning|good afternoon|good evening',
    greeting: 'Hello! Ask me anything about this documentation.',
    thanks: 'thanks|thank you|thx|thanks a lot|many thanks|thank you very much|thanks in advance',
    welcome: 'You are welcome. Ask me whenever something else about this documentation comes up.',
  },
  de: {
    refused: 'Dazu habe ich in dieser Dokumentation nichts gefunden.',
    nearest: 'Die Abschnitte, die Ihrer Frage am nächsten kommen:',
    pointed: 'Eine klare Antwort habe ich nicht gefunden. Diese Abschnitte kommen Ihrer Frage am nächsten:',
    seeAlso: 'Siehe auch:',
    failed: 'Die Antwort konnte nicht geschrieben werden. Bitte versuchen Sie es noch einmal.',
    declined: 'Die Antwort konnte nicht geschrieben werden.',
    filtered: 'Das Sprachmodell hat darauf nicht geantwortet.',
    hello: 'hallo|guten tag|guten morgen|guten abend|servus|moin',
    greeting: 'Hallo! Fragen Sie mich, was Sie über diese Dokumentation wissen möchten.',
    thanks: 'danke|danke schon|vielen dank|danke sehr|vielen dank im voraus',
    welcome: 'Gern geschehen. Fragen Sie mich jederzeit wieder, wenn es um diese Dokumentation geht.',
  },
  fr: {
    refused: "Je n'ai rien trouvé à ce sujet dans cette documentation.",
    nearest: 'Les sections les plus proches de votre question :',
    pointed: "Je n'ai pas trouvé de réponse claire. Ces sections sont les plus proches de votre question :",
    seeAlso: 'Voir aussi :',
    failed: "La réponse n'a pas pu être rédigée. Veuillez réessayer.",
    declined: "La réponse n'a pas pu être rédigée.",
    filtered: "Le modèle de langage n'a pas répondu à cette question.",
    hello: 'bonjour|bonsoir|salut|coucou',
    greeting: 'Bonjour ! Posez-moi vos questions sur cette documentation.',
    thanks: "merci|merci beaucoup|merci bien|merci d'avance",
    welcome: "Je vous en prie. N'hésitez pas si vous avez une autre question sur cette documentation.",
  },
  es: {
    refused: 'No he encontrado nada sobre esto en esta documentación.',
    nearest: 'Las secciones más cercanas a su pregunta:',
    pointed: 'No he encontrado una respuesta clara. Estas secciones son las más cercanas a su pregunta:',
    seeAlso: 'Véase también:',
    failed: 'No se ha podido escribir la respuesta. Inténtelo de nuevo.',
    declined: 'No se ha podido escribir la respuesta.',
    filtered: 'El modelo de lenguaje no ha respondido a esto.',
    hello: 'hola|buenos dias|buenas tardes|buenas noches|buenas',
    greeting: '¡Hola! Pregúnteme lo que quiera sobre esta documentación.',
    thanks: 'gracias|muchas gracias|gracias de antemano',
    welcome: 'De nada. Pregúnteme cuando surja otra cosa sobre esta documentación.',
  },
  it: {
    refused: 'Non ho trovato nulla su questo argomento in questa documentazione.',
    nearest: 'Le sezioni più vicine alla sua domanda:',
    pointed: 'Non ho trovato una risposta chiara. Queste sezioni sono le più vicine alla sua domanda:',
    seeAlso: 'Vedi anche:',
    failed: 'Non è stato possibile scrivere la risposta. Riprovi.',
    declined: 'Non è stato possibile scrivere la risposta.',
    filtered: 'Il modello linguistico non ha risposto a questa domanda.',
    hello: 'ciao|buongiorno|buonasera|salve',
    greeting: 'Salve! Mi chieda quello che vuole su questa documentazione.',
    thanks: 'grazie|grazie mille|molte grazie|grazie in anticipo',
    welcome: 'Prego. Mi chieda pure se le serve altro su questa documentazione.',
  },
  pt: {
    refused: 'Não encontrei nada sobre isto nesta documentação.',
    nearest: 'As seções mais próximas da sua pergunta:',
    pointed: 'Não encontrei uma resposta clara. Estas seções são as mais próximas da sua pergunta:',
    seeAlso: 'Veja também:',
    failed: 'Não foi possível escrever a resposta. Tente novamente.',
    declined: 'Não foi possível escrever a resposta.',
    filtered: 'O modelo de linguagem não respondeu a isto.',
    hello: 'ola|oi|bom dia|boa tarde|boa noite',
    greeting: 'Olá! Pergunte-me o que quiser sobre esta documentação.',
    thanks: 'obrigado|obrigada|muito obrigado|muito obrigada',
    welcome: 'De nada. Pergunte-me sempre que surgir outra dúvida sobre esta documentação.',
  },
  nl: {
    refused: 'Ik heb hierover niets gevonden in deze documentatie.',
    nearest: 'De onderdelen die het dichtst bij uw vraag komen:',
    pointed: 'Ik heb geen duidelijk antwoord gevonden. Deze onderdelen komen het dichtst bij uw vraag:',
    seeAlso: 'Zie ook:',
    failed: 'Het antwoord kon niet worden geschreven. Probeer het opnieuw.',
    declined: 'Het antwoord kon niet worden geschreven.',
    filtered: 'Het taalmodel heeft hierop niet geantwoord.',
    hello: 'hoi|goedemorgen|goedemiddag|goedenavond|goedendag',
    greeting: 'Hallo! Stel me gerust een vraag over deze documentatie.',
    thanks: 'bedankt|dank je|dank u|dank je wel|dank u wel|alvast bedankt',
    welcome: 'Graag gedaan. Vraag gerust verder als er iets over deze documentatie onduidelijk is.',
  },
  ja: {
    refused: 'このドキュメントには、これに関する記述が見つかりませんでした。',
    nearest: 'ご質問に最も近いセクション：',
    pointed: '明確な回答は見つかりませんでした。最も近いセクション：',
    seeAlso: '関連項目：',
    failed: '回答を作成できませんでした。もう一度お試しください。',
    declined: '回答を作成できませんでした。',
    filtered: '言語モデルはこれに回答しませんでした。',
    hello: 'こんにちは|こんばんは|おはよう|おはようございます',
    greeting: 'こんにちは。このドキュメントについて何でもお尋ねください。',
    thanks: 'ありがとう|ありがとうございます',
    welcome: 'どういたしまして。このドキュメントについて、またいつでもお尋ねください。',
  },
  zh: {
    refused: '在本文档中没有找到与此相关的内容。',
    nearest: '与您的问题最接近的章节：',
    pointed: '没有找到明确的答案。最接近的章节：',
    seeAlso: '另请参阅：',
    failed: '无法生成回答，请重试。',
    declined: '无法生成回答。',
    filtered: '语言模型没有回答这个问题。',
    hello: '你好|您好|早上好|晚上好',
    greeting: '您好！关于本文档的问题，请随时提问。',
    thanks: '谢谢|多谢|感谢',
    welcome: '不客气。关于本文档，有其他问题请随时提问。',
  },
} satisfies Record<string, Replies>

export type Language = keyof typeof replies

export const languages = Object.keys(replies) as Language[]

/** Markdown: the sentence in place of an answer, with the sections that come nearest. */
export function toReply(verdict: 'refused' | 'pointed', nearest: ChatSource[], language: Language): string {
  const { refused, nearest: leading, pointed } = replies[language]
  const links = nearest.map((source) => `- ${toTitleLink(source)}`).join('\n')
  if (verdict === 'pointed') return `${pointed}\n\n${links}`
  return nearest.length === 0 ? refused : `${refused}\n\n${leading}\n\n${links}`
}

/** Whether an answer of a conversation is one of these. */
export function isReply(answer: string): boolean {
  return Object.values(replies).some(
    ({ refused, pointed }) => answer.startsWith(refused) || answer.startsWith(pointed),
  )
}

/** `Danke schön!` → what is said to thanks in German; null for any other message. */
export function toSmallTalk(message: string): string | null {
  const said = toPlain(message)
  for (const { hello, greeting, thanks, welcome } of Object.values(replies)) {
    if (hello.split('|').some((phrase) => toPlain(phrase) === said)) return greeting
    if (thanks.split('|').some((phrase) => toPlain(phrase) === said)) return welcome
  }
  return null
}

function toPlain(message: string): string {
  return fold(message)
    .replace(/[\s\p{P}]+/gu, ' ')
    .trim()
}
