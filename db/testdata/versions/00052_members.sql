UPDATE relay.cases SET posts = 3
