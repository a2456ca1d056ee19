// The few texts that are shown before the widget is opened. web/strings/ has all others.

/** Label of the search, label of ask, and the text if a chunk could not be loaded. */
const labels = {
  en: 'Search or ask|Ask AI|No connection. Reload the page.',
  de: 'Suchen oder fragen|KI fragen|Keine Verbindung. Laden Sie die Seite neu.',
  fr: 'Chercher ou demander|Demander à l’IA|Pas de connexion. Rechargez la page.',
  es: 'Buscar o preguntar|Preguntar a la IA|Sin conexión. Recargue la página.',
  it: 'Cerca o chiedi|Chiedi all’IA|Nessuna connessione. Ricarica la pagina.',
  pt: 'Pesquisar ou perguntar|Perguntar à IA|Sem conexão. Recarregue a página.',
  nl: 'Zoeken of vragen|Vraag het AI|Geen verbinding. Laad de pagina opnieuw.',
  ja: '検索または質問|AI に質問|接続できません。ページを再読み込みしてください。',
  zh: '搜索或提问|询问 AI|无法连接，请重新加载页面。',
}

export interface Labels {
  search: string
  ask: string
  failed: string
}

/** The labels of the first available language of `tags` (`de-AT`, `de`), else English. */
export function findLabels(tags: readonly string[]): Labels {
  const known = tags.map((tag) => tag.toLowerCase().split(/[-_]/)[0] as keyof typeof labels)
  const [search, ask, failed] = labels[known.find((tag) => Object.hasOwn(labels, tag)) ?? 'en'].split('|')
  return { search, ask, failed } as Labels
}
